/*
 * draw.cuh - the random 64 bits of a row's step
 *
 * Same contract as host/stages/draw.c and host/philox.c, which win where the
 * two differ.
 */

#ifndef TESSERA_STAGES_DRAW_CUH
#define TESSERA_STAGES_DRAW_CUH

#include <tessera.h>

namespace tessera
{

/* Philox4x32-10, as cuRAND's header has it; that one would bring tables of
 * another generator into every object that draws. */
__device__ inline uint64_t random_of(const tessera_params &params)
{
    uint32_t key0 = (uint32_t)params.seed;
    uint32_t key1 = (uint32_t)(params.seed >> 32);
    uint32_t c0 = (uint32_t)params.step;
    uint32_t c1 = (uint32_t)(params.step >> 32);
    uint32_t c2 = (uint32_t)params.stream;
    uint32_t c3 = (uint32_t)(params.stream >> 32);

    for (int round = 0; round < 10; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53 * c0;
        uint64_t product1 = (uint64_t)0xCD9E8D57 * c2;

        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ key0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ key1;
        c3 = (uint32_t)product0;
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
    return (uint64_t)c0 << 32 | c1;
}

/* In [0, sum). */
__device__ inline uint64_t draw_target(uint64_t random, uint64_t sum)
{
    return __umul64hi(random, sum);
}

} // namespace tessera

#endif
