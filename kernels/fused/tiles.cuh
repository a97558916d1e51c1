/*
 * tiles.cuh - a warp's pass over a tile of a row, and what blocks add up over
 *             theirs
 */

#ifndef TESSERA_FUSED_TILES_CUH
#define TESSERA_FUSED_TILES_CUH

#include "bins.cuh"
#include "row_reader.cuh"

#include <cfloat>

namespace tessera
{

/* Calls visit() for a few consecutive tokens of a lane. */
template <int Size, typename Visit>
__device__ void visit_bounded(int32_t token, float (&x)[Size], bool unbounded,
                              Visit visit)
{
    if (unbounded)
#pragma unroll
        for (int i = 0; i < Size; i++)
            x[i] = x[i] > FLT_MAX ? FLT_MAX : x[i];
#pragma unroll
    for (int i = 0; i < Size; i++)
        visit(token + i, x[i]);
}

/* The tiles of a row in memory that a block takes, its warps in turn. */
template <typename T>
struct tiles_in_memory {
    const row_reader<T> &reader;
    int32_t vocab;
    int32_t first;
    int32_t end;

    /* Calls visit(token, x) for each token of a tile, by the lanes of a warp,
     * with x no more than the largest float; x is a NaN or -inf for a token
     * that is out, and for what stands behind the vocabulary.  Each lane's
     * tokens ascend. */
    template <typename Visit>
    __device__ void visit_warp(int32_t tile, bool unbounded, Visit visit) const
    {
        constexpr int size = row_reader<T>::size;
        constexpr int loads = 16 / size; /* 64 bytes of floats, 32 of others */
        int32_t token =
            tile * warp_tile_tokens + (int32_t)(threadIdx.x % 32) * size;

        for (int32_t step = 0; step < warp_tile_tokens;
             step += 32 * size * loads) {
            typename row_reader<T>::group groups[loads];
#pragma unroll
            for (int load = 0; load < loads; load++)
                reader.load(token + step + load * 32 * size, vocab,
                            groups[load]);
#pragma unroll
            for (int load = 0; load < loads; load++) {
                int32_t place = token + step + load * 32 * size;
                float x[size];
                reader.values(place, groups[load], x);
                visit_bounded<size>(place, x, unbounded, visit);
            }
        }
    }
};

/* Those of a block of weigh or guess. */
template <typename T>
__device__ tiles_in_memory<T> tiles_of_block(const fused_view &fused,
                                             const row_reader<T> &reader)
{
    int32_t first = (int32_t)blockIdx.x * fused.weigh_part_tiles;
    return {reader, fused.call.vocab, first,
            min(first + fused.weigh_part_tiles, fused.tiles)};
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

/* For those who weigh logits as they are. */
struct as_it_is {
    __device__ float operator()(float x) const
    {
        return x;
    }
};

/*
 * sum_tiles_block() adds up the weights, relative to m, of the tokens of a
 * block's tiles whose logit is at least 'least', a sum a tile and the row's,
 * and counts them.  A token is weighed as weighed(x), which is not above m.
 *
 * Call from every thread of the block.  Blocks of a row meet in its state.
 */
template <int Threads, typename Tiles, typename Weighed>
__device__ void sum_tiles_block(const Tiles &tiles, row_state &state, float m,
                                float least, unsigned long long *tile_sums,
                                Weighed weighed)
{
    float c = state.c;
    float dmin = state.dmin;
    unsigned long long sum = 0;
    uint32_t kept = 0;

    for (int32_t tile = tiles.first + (int32_t)threadIdx.x / 32;
         tile < tiles.end; tile += Threads / 32) {
        uint64_t tile_sum = 0;
        tiles.visit_warp(tile, is_unbounded(m), [&](int32_t, float x) {
            uint64_t weight = weight_of(__fsub_rn(weighed(x), m), c, dmin);
            if (x >= least) {
                tile_sum += weight;
                kept++;
            }
        });
        tile_sum = sum_warp(tile_sum);
        sum += tile_sum;
        if (threadIdx.x % 32 == 0)
            tile_sums[tile] = tile_sum;
    }
    kept = sum_warp(kept);
    if (threadIdx.x % 32 == 0 && kept > 0) {
        atomicAdd(&state.sum, sum);
        atomicAdd(&state.kept, kept);
    }
}

/* Adds the tokens of a block's tiles to bins by distance.  Call from every
 * thread of the block, between barriers. */
template <int Threads, typename Tiles>
__device__ void bin_tiles_block(const Tiles &tiles, const weigher &weigher,
                                bins &bins)
{
    for (int32_t tile = tiles.first + (int32_t)threadIdx.x / 32;
         tile < tiles.end; tile += Threads / 32)
        tiles.visit_warp(tile, is_unbounded(weigher.m), [&](int32_t, float x) {
            if (!(x >= -FLT_MAX))
                return;
            float distance = __fsub_rn(x, weigher.m);
            add_to_bin_thread(bins, bin_of(distance, weigher.scales),
                              weight_of(distance, weigher.c, weigher.dmin));
        });
}

} // namespace tessera

#endif
