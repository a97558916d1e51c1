/*
 * philox.c - Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy
 * as 1, 2, 3", SC'11)
 *
 * A block cipher of the counter (step, stream) under the key seed: ten rounds
 * of two 32 x 32 -> 64 bit products.  There is no state to keep, so a draw can
 * be repeated from its three numbers alone, in any order, on any device.
 */

#include "philox.h"

struct tessera_philox_words tessera_philox(uint64_t seed, uint64_t stream,
                                           uint64_t step)
{
    uint32_t key0 = (uint32_t)seed;
    uint32_t key1 = (uint32_t)(seed >> 32);
    uint32_t c0 = (uint32_t)step;
    uint32_t c1 = (uint32_t)(step >> 32);
    uint32_t c2 = (uint32_t)stream;
    uint32_t c3 = (uint32_t)(stream >> 32);

    for (int round = 0; round < 10; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53 * c0;
        uint64_t product1 = (uint64_t)0xCD9E8D57 * c2;

        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ key0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ key1;
        c3 = (uint32_t)product0;
        key0 += 0x9E3779B9; /* the golden ratio */
        key1 += 0xBB67AE85; /* sqrt(3) - 1 */
    }
    return (struct tessera_philox_words){{c0, c1, c2, c3}};
}
