/*
 * top_k.cuh - how many tokens top-k keeps
 *
 * Same contract as host/stages/top_k.c, which wins where the two differ.
 */

#ifndef TESSERA_STAGES_TOP_K_CUH
#define TESSERA_STAGES_TOP_K_CUH

#include <cstdint>

namespace tessera
{

/* Of 'in' tokens that are in. */
__device__ inline uint32_t top_k_count(int32_t k, uint32_t in)
{
    return k > 0 && (uint32_t)k < in ? (uint32_t)k : in;
}

} // namespace tessera

#endif
