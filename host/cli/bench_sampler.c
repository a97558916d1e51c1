/*
 * bench_sampler.c - the sampler of one measurement
 */

#include "bench_sampler.h"

#include "cli.h"

int bench_sampler_open(struct bench_sampler *sampler,
                       const struct bench_target *target,
                       const struct workload *workload)
{
    struct tessera_config *config = &sampler->config;

    *sampler = (struct bench_sampler){.config = TESSERA_CONFIG_INIT};
    config->device = target->backend.device;
    config->device_ordinal = target->backend.ordinal;
    config->plans = target->backend.plans;
    config->threads = target->threads;
    config->vocab = workload->shape.vocab;
    config->max_rows = workload->shape.batch;
    config->max_history = workload->what->history;
    config->max_edits = 0;
    config->max_top_logprobs = workload->what->top_n;
    enum tessera_status status = tessera_create(config, &sampler->sampler);
    if (status == TESSERA_OK)
        status = tessera_workspace_create(sampler->sampler, config->max_rows,
                                          &sampler->workspace,
                                          &sampler->workspace_bytes);
    return status == TESSERA_OK ? CLI_OK : report_library(status);
}

void bench_sampler_close(struct bench_sampler *sampler)
{
    tessera_workspace_free(sampler->sampler, sampler->workspace);
    tessera_free(sampler->sampler);
}
