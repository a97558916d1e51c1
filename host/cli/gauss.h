/*
 * gauss.h - rows of random logits that are the same on every machine
 */

#ifndef TESSERA_CLI_GAUSS_H
#define TESSERA_CLI_GAUSS_H

#include <tessera.h>

/* Largest magnitude of a mean or deviation: everything made from them is a
 * finite binary32. */
#define GAUSS_LIMIT 1e30

/* A row by its formula: tests/vectors/README.md has it. */
struct gauss {
    uint64_t seed;
    double mean;
    double deviation;
};

/* Bytes of an element: 2 or 4. */
size_t dtype_bytes(enum tessera_dtype dtype);

/* Rounds to the type, to nearest even; 'bits' gets dtype_bytes(). */
void round_to_dtype(float value, enum tessera_dtype dtype, void *bits);

/* Writes the first 'count' logits of the row. */
void gauss_fill(struct gauss gauss, enum tessera_dtype dtype, size_t count,
                void *logits);

/* A random word: splitmix64, whose state is any number. */
uint64_t splitmix(uint64_t *state);

#endif
