/*
 * min_p.cuh - the least weight that stays
 *
 * Same contract as host/stages/min_p.c, which wins where the two differ.
 */

#ifndef TESSERA_STAGES_MIN_P_CUH
#define TESSERA_STAGES_MIN_P_CUH

#include <cstdint>

namespace tessera
{

__device__ inline uint64_t min_p_threshold(float q)
{
    uint64_t threshold =
        __double2ull_ru(__dmul_rn(static_cast<double>(q), 0x1p40));
    return threshold > 0 ? threshold : 1;
}

} // namespace tessera

#endif
