/*
 * bench_run.h - run tessera bench within the test's process
 */

#ifndef TESSERA_TESTS_BENCH_RUN_H
#define TESSERA_TESTS_BENCH_RUN_H

#include <jansson.h>

#include <stddef.h>

#define BENCH_MOST_OBJECTS 128

struct bench_outcome {
    int status;
    char *said; /* on standard error */

    /* What was printed, with --json. */
    json_t *objects[BENCH_MOST_OBJECTS];
    size_t count;
};

/* The arguments are parted by spaces.  bench_outcome_free() afterwards. */
struct bench_outcome run_bench(const char *arguments);
void bench_outcome_free(struct bench_outcome *outcome);

/* A number, or a string, of one of the objects; it must have one. */
double bench_number(const json_t *object, const char *key);
const char *bench_text(const json_t *object, const char *key);

#endif
