/*
 * bench_measure.c - how long something takes, and how long its floor
 */

#include "bench_measure.h"

#include "cli.h"

#include <math.h>
#include <stdlib.h>

/* A sample is of as many calls as last this long, so that reading the clock
 * does not show in it. */
#define SAMPLE_US 20.0

/* What a first call takes longer than others, and more. */
#define COLD_US 1e4

#define MOST_SAMPLES 2000

/* The floor's share of the budget. */
#define FLOOR_SHARE 0.1

/* Turns of each. */
#define TURNS 10

struct series {
    const struct subject *subject;
    int64_t calls; /* a sample */
    size_t wanted; /* samples */
    size_t count;
    double us[MOST_SAMPLES];
};

/* Warms the subject up, and settles how much of it is measured. */
static void start_series(struct series *series, const struct subject *subject,
                         struct effort effort)
{
    double once = subject->time(subject->of, 1);
    if (once < COLD_US)
        once = fmax(subject->time(subject->of, 1), 1e-3);

    int64_t calls = once < SAMPLE_US ? (int64_t)(SAMPLE_US / once) + 1 : 1;
    double wanted = effort.budget_us / (once * (double)calls);
    if (effort.repeats > 0)
        wanted = (double)effort.repeats;
    wanted = fmin(fmax(wanted, effort.least_samples), MOST_SAMPLES);
    series->subject = subject;
    series->calls = calls;
    series->wanted = (size_t)wanted;
    series->count = 0;
}

static void take_turn(struct series *series, size_t turn)
{
    const struct subject *subject = series->subject;
    size_t end = series->wanted * (turn + 1) / TURNS;

    while (series->count < end)
        series->us[series->count++] = subject->time(subject->of, series->calls);
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

static struct spread spread_of(struct series *series)
{
    double *us = series->us;
    size_t count = series->count;

    qsort(us, count, sizeof(*us), ascending);
    return (struct spread){(us[(count - 1) / 2] + us[count / 2]) / 2, us[0],
                           us[count - 1]};
}

int measure(const struct subject *sampler, const struct subject *floor,
            struct effort effort, struct measurement *measurement)
{
    struct series *series = calloc(2, sizeof(*series));
    struct effort floor_effort = {.least_samples = TURNS,
                                  .budget_us = effort.budget_us * FLOOR_SHARE};

    if (!series)
        return report_memory();
    start_series(&series[0], floor, floor_effort);
    start_series(&series[1], sampler, effort);
    for (size_t turn = 0; turn < TURNS; turn++) {
        take_turn(&series[0], turn);
        take_turn(&series[1], turn);
    }
    measurement->floor = spread_of(&series[0]).median;
    measurement->sampler = spread_of(&series[1]);
    free(series);
    return CLI_OK;
}
