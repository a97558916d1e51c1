/*
 * row_builder.h - rows for the tests of single stages
 *
 * Memory comes from the heap in exact sizes, so that a sanitizer sees a read
 * or write one past it, and holds a poison, as a workspace may that was used
 * before.  Each test is a process of its own, so nothing is freed.
 */

#ifndef TESSERA_TESTS_ROW_BUILDER_H
#define TESSERA_TESTS_ROW_BUILDER_H

#include "../../host/stages/stages.h"

/* A row of these logits, before any stage but the first. */
struct tessera_row row_of_logits(const float *logits, size_t vocab);

/* A ranked row of these weights, ids 0 upwards, all kept. */
struct tessera_row row_of_weights(const uint64_t *weights, size_t vocab);

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define LOGITS(...)                                                            \
    row_of_logits((const float[]){__VA_ARGS__},                                \
                  COUNT_OF(((const float[]){__VA_ARGS__})))
#define WEIGHTS(...)                                                           \
    row_of_weights((const uint64_t[]){__VA_ARGS__},                            \
                   COUNT_OF(((const uint64_t[]){__VA_ARGS__})))

uint32_t bits_of(float value);
float float_of(uint32_t bits);

#endif
