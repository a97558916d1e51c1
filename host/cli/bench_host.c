/*
 * bench_host.c - time a backend that works in host memory
 */

#include "bench_floor.h"
#include "bench_sampler.h"
#include "cli.h"

#include <time.h>

struct host_run {
    struct bench_sampler sampler;
    const struct workload *workload;
    enum tessera_status status; /* of the last call */
    uint64_t sink;              /* keeps the floor from being left out */
};

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static double time_sampler(void *of, int64_t calls)
{
    struct host_run *run = of;
    const struct bench_sampler *sampler = &run->sampler;
    double start = now_us();

    for (int64_t i = 0; i < calls; i++)
        run->status = tessera_sample(
            sampler->sampler, sampler->workspace, sampler->workspace_bytes,
            &run->workload->batch, &run->workload->outputs, NULL);
    return (now_us() - start) / (double)calls;
}

static double time_floor(void *of, int64_t calls)
{
    struct host_run *run = of;
    const struct workload *workload = run->workload;
    double start = now_us();

    for (int64_t i = 0; i < calls; i++)
        for (int32_t row = 0; row < workload->shape.batch; row++)
            run->sink += floor_pass(
                workload_logits(workload, row), workload->shape.dtype,
                (size_t)workload->shape.vocab, workload->what->every_weight);
    return (now_us() - start) / (double)calls;
}

int measure_host(const struct bench_target *target, struct workload *workload,
                 struct effort effort, struct measurement *measurement)
{
    struct host_run run = {.workload = workload};
    const struct subject sampler = {time_sampler, &run};
    const struct subject floor = {time_floor, &run};
    int status = bench_sampler_open(&run.sampler, target, workload);

    if (status == CLI_OK)
        status = measure(&sampler, &floor, effort, measurement);
    if (status == CLI_OK && run.status != TESSERA_OK)
        status = report_library(run.status);
    bench_sampler_close(&run.sampler);
    return status;
}
