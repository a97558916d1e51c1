/*
 * tiles.cuh - a warp's pass over a tile of a row
 */

#ifndef TESSERA_FUSED_TILES_CUH
#define TESSERA_FUSED_TILES_CUH

#include "row_reader.cuh"

#include <cfloat>

namespace tessera
{

/* Calls visit(token, x) for each token of a tile, by the lanes of a warp, with
 * x no more than the largest float; x is a NaN or -inf for a token that is out,
 * and for what stands behind the vocabulary.  Each lane's tokens ascend. */
template <typename T, typename Visit>
__device__ void visit_tile_warp(const row_reader<T> &reader, int32_t tile,
                                int32_t vocab, bool unbounded, Visit visit)
{
    constexpr int size = row_reader<T>::size;
    constexpr int loads = 16 / size; /* 64 bytes of floats, 32 of others */
    int32_t first =
        tile * warp_tile_tokens + (int32_t)(threadIdx.x % 32) * size;

    for (int32_t step = 0; step < warp_tile_tokens; step += 32 * size * loads) {
        typename row_reader<T>::group groups[loads];
#pragma unroll
        for (int load = 0; load < loads; load++)
            reader.load(first + step + load * 32 * size, vocab, groups[load]);
#pragma unroll
        for (int load = 0; load < loads; load++) {
            int32_t token = first + step + load * 32 * size;
            float x[size];
            reader.values(token, groups[load], x);
            if (unbounded)
#pragma unroll
                for (int i = 0; i < size; i++)
                    x[i] = x[i] > FLT_MAX ? FLT_MAX : x[i];
#pragma unroll
            for (int i = 0; i < size; i++)
                visit(token + i, x[i]);
        }
    }
}

/* Whether a row may hold +inf, given its best logit. */
__device__ inline bool is_unbounded(float m)
{
    return m >= FLT_MAX;
}

/* Sums of a warp, in all of its lanes. */
template <typename Value>
__device__ Value sum_warp(Value value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffff, value, offset);
    return value;
}

} // namespace tessera

#endif
