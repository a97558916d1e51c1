/*
 * bench_measure.h - how long a batch takes, and how long its floor
 */

#ifndef TESSERA_CLI_BENCH_MEASURE_H
#define TESSERA_CLI_BENCH_MEASURE_H

#include "bench_workload.h"

/* Of a batch, in microseconds. */
struct spread {
    double median;
    double least;
    double most;
};

struct measurement {
    struct spread sampler;
    double floor; /* the median */
};

/* How much measuring. */
struct effort {
    int64_t repeats; /* of each batch; 0: as many as the budget allows */
    double budget_us;
    int least_samples; /* whatever the budget */
};

/* Times tessera_sample() on a sampler of this device made for the workload,
 * warmed up first, and the floor on the same rows just before and just after
 * it, since the clock of a processor drifts.  CLI_OK, or the status of the
 * line reported. */
int measure(enum tessera_device device, int32_t ordinal,
            struct workload *workload, struct effort effort,
            struct measurement *measurement);

#endif
