/*
 * philox.h - Philox4x32-10, the counter-based random numbers of a draw
 */

#ifndef TESSERA_PHILOX_H
#define TESSERA_PHILOX_H

#include <stdint.h>

struct tessera_philox_words {
    uint32_t word[4];
};

/* The four words of a sequence's step: what cuRAND gives after
 * curand_init(seed, stream, 4 * step, &state) as curand4(&state). */
struct tessera_philox_words tessera_philox(uint64_t seed, uint64_t stream,
                                           uint64_t step);

#endif
