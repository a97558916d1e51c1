/*
 * bench_options.h - the arguments of bench
 */

#ifndef TESSERA_CLI_BENCH_OPTIONS_H
#define TESSERA_CLI_BENCH_OPTIONS_H

#include "backends.h"
#include "list.h"

struct bench_options {
    struct backend_choice backend; /* automatic: all that are here */

    int64_t threads; /* of a backend that has them */

    /* A list that was not given is empty. */
    struct list batches; /* int32_t */
    struct list vocabs;  /* int32_t */
    struct list dtypes;  /* enum tessera_dtype */
    struct list cases;   /* const struct bench_case * */

    int64_t repeats; /* 0: not given */
    const char *logits;
    const char *save;
    uint64_t seed;
    bool quick;
    bool json;
};

/* Reads the arguments after argv[0].  Returns true to go on; otherwise
 * *exit_status is what to end with, after the help or the one line that says
 * what is wrong.  bench_options_free() in both cases. */
bool bench_options_read(int argc, char **argv, struct bench_options *options,
                        int *exit_status);

void bench_options_free(struct bench_options *options);

/* "f32" */
const char *dtype_name(enum tessera_dtype dtype);

#endif
