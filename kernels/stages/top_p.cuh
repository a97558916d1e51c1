/*
 * top_p.cuh - how much weight before a token still lets it stay
 *
 * Same contract as host/stages/top_p.c, which wins where the two differ.
 */

#ifndef TESSERA_STAGES_TOP_P_CUH
#define TESSERA_STAGES_TOP_P_CUH

#include <cstdint>

namespace tessera
{

/* A token stays while the weight before it is less than this:
 * before * 2^32 < P * total is before < ceil(P * total / 2^32).  The first
 * token always stays, so the answer is at least 1. */
__device__ inline uint64_t top_p_need(float p, uint64_t total)
{
    if (p >= 1.0f)
        return UINT64_MAX;

    uint64_t share =
        (uint64_t)__double2ull_rn(__dmul_rn(static_cast<double>(p), 0x1p32));
    uint64_t low = share * total;
    uint64_t high = __umul64hi(share, total);
    uint64_t need = (high << 32 | low >> 32) + ((uint32_t)low != 0);
    return need > 0 ? need : 1;
}

} // namespace tessera

#endif
