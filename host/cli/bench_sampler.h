/*
 * bench_sampler.h - the sampler of one measurement, and its time on a backend
 */

#ifndef TESSERA_CLI_BENCH_SAMPLER_H
#define TESSERA_CLI_BENCH_SAMPLER_H

#include "backends.h"
#include "bench_measure.h"

/* Where a workload is measured. */
struct bench_target {
    struct backend_choice backend;
    int32_t threads; /* most; 1 for a backend that has no more */
};

struct bench_sampler {
    struct tessera_config config;
    struct tessera_sampler *sampler;
    void *workspace;
    size_t workspace_bytes;
};

/* Makes a sampler for the workload.  CLI_OK, or the status of the line
 * reported; bench_sampler_close() in both cases. */
int bench_sampler_open(struct bench_sampler *sampler,
                       const struct bench_target *target,
                       const struct workload *workload);
void bench_sampler_close(struct bench_sampler *sampler);

/* Times tessera_sample() on a backend of host memory, beside a pass over the
 * same rows on one thread: see bench_floor.h. */
int measure_host(const struct bench_target *target, struct workload *workload,
                 struct effort effort, struct measurement *measurement);

/* Times replays of a graph of tessera_sample() on a GPU, by events, where
 * cuda_timing_absence() is NULL: see bench_cuda.c. */
int measure_cuda(const struct bench_target *target, struct workload *workload,
                 struct effort effort, struct measurement *measurement);

/* Why the CUDA backend cannot be timed here, in words; NULL: it can. */
const char *cuda_timing_absence(void);

#endif
