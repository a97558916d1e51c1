/*
 * philox_curand.cpp - Philox against cuRAND's own device header
 *
 * The header is device code, and plain C++ once its qualifiers are.  Built
 * only where a CUDA toolkit is.
 */

#define QUALIFIERS static inline
#include <curand_kernel.h>

extern "C" {
#include "../../host/philox.h"
}

#include <criterion/criterion.h>

static void check(unsigned long long seed, unsigned long long stream,
                  unsigned long long step)
{
    curandStatePhilox4_32_10_t state;
    curand_init(seed, stream, 4 * step, &state);
    uint4 expected = curand4(&state);
    struct tessera_philox_words out = tessera_philox(seed, stream, step);

    cr_assert(out.word[0] == expected.x && out.word[1] == expected.y &&
                  out.word[2] == expected.z && out.word[3] == expected.w,
              "seed %llx stream %llx step %llx", seed, stream, step);
}

/* Each bit of each number; steps stay below the contract's 2^62. */
Test(philox_curand, equals_curand_at_every_bit)
{
    for (int bit = 0; bit < 64; bit++) {
        unsigned long long value = 1ull << bit;

        check(value, 0, 0);
        check(0, value, 0);
        check(value, ~value, value >> 2);
        if (bit < 62)
            check(0, 0, value);
    }
}

Test(philox_curand, equals_curand_on_random_numbers)
{
    unsigned long long state = 0x9E3779B97F4A7C15;

    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        unsigned long long seed = state;
        state = state * 6364136223846793005u + 1442695040888963407u;
        unsigned long long stream = state;
        state = state * 6364136223846793005u + 1442695040888963407u;
        check(seed, stream, state >> 2);
    }
}
