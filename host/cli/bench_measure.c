/*
 * bench_measure.c - how long a batch takes, and how long its floor
 */

#include "bench_measure.h"

#include "bench_floor.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* A sample is of as many calls as last this long, so that reading the clock
 * does not show in it. */
#define SAMPLE_US 20.0

/* What a first call takes longer than others, and more. */
#define COLD_US 1e4

#define MOST_SAMPLES 2000

/* The floor's share of the budget. */
#define FLOOR_SHARE 0.1

/* Something to be timed. */
struct subject {
    void (*call)(struct subject *subject);
    struct workload *workload;
    const struct tessera_sampler *sampler;
    void *workspace;
    size_t workspace_bytes;
    enum tessera_status status; /* of the last call */
    uint64_t sink;              /* keeps the floor from being left out */
};

struct samples {
    double us[MOST_SAMPLES];
    size_t count;
};

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void call_sampler(struct subject *subject)
{
    subject->status = tessera_sample(
        subject->sampler, subject->workspace, subject->workspace_bytes,
        &subject->workload->batch, &subject->workload->outputs, NULL);
}

static void call_floor(struct subject *subject)
{
    const struct workload *workload = subject->workload;

    for (int32_t row = 0; row < workload->shape.batch; row++)
        subject->sink += floor_pass(
            workload_logits(workload, row), workload->shape.dtype,
            (size_t)workload->shape.vocab, workload->what->every_weight);
}

static double time_calls(struct subject *subject, int64_t calls)
{
    double start = now_us();

    for (int64_t i = 0; i < calls; i++)
        subject->call(subject);
    return (now_us() - start) / (double)calls;
}

/* Warms the subject up and adds samples of it. */
static void take_samples(struct subject *subject, struct effort effort,
                         struct samples *samples)
{
    double once = time_calls(subject, 1);
    if (once < COLD_US)
        once = fmax(time_calls(subject, 1), 1e-3);

    int64_t calls = once < SAMPLE_US ? (int64_t)(SAMPLE_US / once) + 1 : 1;
    double wanted = effort.budget_us / (once * (double)calls);
    if (effort.repeats > 0)
        wanted = (double)effort.repeats;
    else
        wanted = fmin(fmax(wanted, effort.least_samples), MOST_SAMPLES);
    size_t room = MOST_SAMPLES - samples->count;
    size_t count = (size_t)wanted;

    for (size_t i = 0; i < count && i < room; i++)
        samples->us[samples->count++] = time_calls(subject, calls);
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

static struct spread spread_of(struct samples *samples)
{
    double *us = samples->us;
    size_t count = samples->count;

    qsort(us, count, sizeof(*us), ascending);
    return (struct spread){(us[(count - 1) / 2] + us[count / 2]) / 2, us[0],
                           us[count - 1]};
}

/* Times a subject that is ready. */
static int time_subject(struct subject *sampler, struct effort effort,
                        struct measurement *measurement)
{
    struct samples *samples = calloc(2, sizeof(*samples));
    struct subject floor = *sampler;
    struct effort floor_effort = {.least_samples = effort.least_samples,
                                  .budget_us =
                                      effort.budget_us * FLOOR_SHARE / 2};

    if (!samples)
        return report_memory();
    floor.call = call_floor;
    take_samples(&floor, floor_effort, &samples[1]);
    take_samples(sampler, effort, &samples[0]);
    take_samples(&floor, floor_effort, &samples[1]);
    measurement->sampler = spread_of(&samples[0]);
    measurement->floor = spread_of(&samples[1]).median;
    free(samples);
    return sampler->status == TESSERA_OK ? CLI_OK
                                         : report_library(sampler->status);
}

int measure(enum tessera_device device, int32_t ordinal,
            struct workload *workload, struct effort effort,
            struct measurement *measurement)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct subject subject = {.call = call_sampler, .workload = workload};
    struct tessera_sampler *sampler;
    int exit_status;

    config.device = device;
    config.device_ordinal = ordinal;
    config.vocab = workload->shape.vocab;
    config.max_rows = workload->shape.batch;
    config.max_history = workload->what->history;
    config.max_edits = 0;
    config.max_top_logprobs = workload->what->top_n;
    enum tessera_status status = tessera_create(&config, &sampler);
    if (status == TESSERA_OK)
        status = tessera_workspace_create(sampler, config.max_rows,
                                          &subject.workspace,
                                          &subject.workspace_bytes);
    subject.sampler = sampler;
    if (status == TESSERA_OK)
        exit_status = time_subject(&subject, effort, measurement);
    else
        exit_status = report_library(status);
    tessera_workspace_free(sampler, subject.workspace);
    tessera_free(sampler);
    return exit_status;
}
