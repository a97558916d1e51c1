/*
 * bench_floor.h - what no sampler on this machine can be faster than
 *
 * One pass over a row for its maximum, and one for the contract's weight of
 * every token where the answer needs them all: plain loops that the compiler
 * vectorises for the widest instructions here, on one thread.
 */

#ifndef TESSERA_CLI_BENCH_FLOOR_H
#define TESSERA_CLI_BENCH_FLOOR_H

#include <tessera.h>

#include <stdbool.h>

/* The instructions used: "avx512". */
const char *floor_instructions(void);

/* Reads 'count' finite logits.  Returns their sum of weights at temperature 1,
 * or, without 'weights', what depends on the maximum only. */
uint64_t floor_pass(const void *logits, enum tessera_dtype dtype, size_t count,
                    bool weights);

#endif
