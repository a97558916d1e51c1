/*
 * bench_print.h - what bench prints: a table, or an object a line
 */

#ifndef TESSERA_CLI_BENCH_PRINT_H
#define TESSERA_CLI_BENCH_PRINT_H

#include "bench_options.h"
#include "bench_sampler.h"

/* What a line is about. */
struct bench_line {
    const struct bench_options *options;
    const struct bench_target *target;
    int name_width; /* of the longest case */
};

/* The lines before all tables, and before the one of a backend; none of them
 * in JSON. */
void bench_print_title(const struct bench_options *options);
void bench_print_heading(const struct bench_line *line);

/* CLI_OK, or the status of the line reported. */
int bench_print(const struct bench_line *line, const struct workload *workload,
                const struct measurement *measured);

#endif
