/*
 * bench_cases.h - what is measured: requests, and the logits they meet
 */

#ifndef TESSERA_CLI_BENCH_CASES_H
#define TESSERA_CLI_BENCH_CASES_H

#include <tessera.h>

#include <stdbool.h>

struct bench_case {
    const char *name;
    struct tessera_params params;

    /* Logits are normal, of mean 0, or those of a file. */
    bool recorded;
    double deviation;

    /* Five tokens of each row stand 8, 9, 10, 11 and 12 above the rest. */
    bool peaked;

    int32_t history; /* entries, of which the first half is the prompt */
    bool masked;     /* a tenth of the tokens is allowed */
    int32_t top_n;   /* log-probabilities listed; 0: none at all */

    /* The answer needs the weight of every token, so the floor has them. */
    bool every_weight;

    bool quick; /* among the few of --quick */
};

/* The case with this index, from 0; NULL past the last. */
const struct bench_case *bench_case(size_t index);

/* The case of this name; NULL: none has it. */
const struct bench_case *bench_case_named(const char *name);

#endif
