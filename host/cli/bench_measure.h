/*
 * bench_measure.h - how long something takes, and how long its floor
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

/* What is timed: a call of time() makes the batch 'calls' times over and
 * returns the microseconds of one.  What goes wrong is for whoever made the
 * subject to keep. */
struct subject {
    double (*time)(void *of, int64_t calls);
    void *of;
};

/* Times the sampler and the floor, warmed up first and then by turns, since
 * the clock of a processor drifts.  CLI_OK, or the status of the line reported.
 */
int measure(const struct subject *sampler, const struct subject *floor,
            struct effort effort, struct measurement *measurement);

#endif
