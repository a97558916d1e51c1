/*
 * passes.cuh - the passes of a descent over a row, and their order
 *
 * As soon as a range holds no more tokens than fit on chip, one pass over the
 * row collects them, and all later histograms are of those.  The same pass adds
 * up, a tile at a time, the weights of the tokens ahead of the range, all of
 * which are kept.
 */

#ifndef TESSERA_FUSED_PASSES_CUH
#define TESSERA_FUSED_PASSES_CUH

#include "descent.cuh"
#include "tiles.cuh"

namespace tessera
{

/* What a pass over the row does. */
enum class pass : uint8_t {
    bin_distances, /* a histogram of it by distance */
    bin_places,    /* one by place of its tokens in the range */
    collect,       /* collects them */
};

/*
 * pass_over_tiles_block() goes over a block's tiles: puts their tokens, or
 * those in the descent's range, into bins, or collects those in the range and
 * adds up the weights that min-p leaves of those ahead of it, a sum a tile and
 * all.
 *
 * Call from every thread of the block, between barriers.
 */
template <int Threads, typename Tiles>
__device__ void
pass_over_tiles_block(const Tiles &tiles, const weigher &weigher, pass pass,
                      unsigned long long *tile_sums, descent<Threads> &descent)
{
    if (pass == pass::bin_distances) {
        bin_tiles_block<Threads>(tiles, weigher, descent.bins);
        return;
    }

    uint64_t first = descent.first;
    uint64_t last = descent.last;
    int shift = bin_shift(descent);
    unsigned long long sum = 0;
    uint32_t kept = 0;

    for (int32_t tile = tiles.first + (int32_t)threadIdx.x / 32;
         tile < tiles.end; tile += Threads / 32) {
        uint64_t tile_sum = 0;
        tiles.visit_warp(
            tile, is_unbounded(weigher.m), [&](int32_t token, float x) {
                if (!(x >= -FLT_MAX))
                    return;
                unsigned long long rank = rank_of(key_of(x), token);
                uint64_t place = place_of(rank);
                if (place < last)
                    return;
                uint64_t weight = weigher.weight(x);
                if (pass == pass::bin_places) {
                    if (place <= first)
                        add_to_bin_thread(descent.bins,
                                          (uint32_t)((first - place) >> shift),
                                          weight);
                } else if (place <= first) {
                    descent.collected[atomicAdd(&descent.collected_count, 1u)] =
                        rank;
                } else if (weight >= weigher.threshold) {
                    tile_sum += weight;
                    kept++;
                }
            });
        if (pass != pass::collect)
            continue;
        tile_sum = sum_warp(tile_sum);
        sum += tile_sum;
        if (threadIdx.x % 32 == 0)
            tile_sums[tile] = tile_sum;
    }
    kept = sum_warp(kept);
    if (threadIdx.x % 32 == 0 && kept > 0) {
        /* A few a row, so a loop of compare-and-swap is no matter. */
        atomicAdd(&descent.kept_weight, sum);
        atomicAdd(&descent.kept, kept);
    }
}

/* A histogram by place of the collected tokens in the range.  Call from every
 * thread of the block, behind a barrier. */
template <int Threads>
__device__ void bin_collected_block(const weigher &weigher,
                                    descent<Threads> &descent)
{
    uint64_t first = descent.first;
    uint64_t last = descent.last;
    int shift = bin_shift(descent);

    for (uint32_t i = threadIdx.x; i < descent.collected_count; i += Threads) {
        unsigned long long rank = descent.collected[i];
        uint64_t place = place_of(rank);
        if (place <= first && place >= last)
            add_to_bin_thread(descent.bins,
                              (uint32_t)((first - place) >> shift),
                              weigher.weight(logit_of(key_of_rank(rank))));
    }
}

/* Before a descent, by one thread: nothing is found, and every place is in the
 * range. */
template <int Threads>
__device__ void start_descent(descent<Threads> &descent)
{
    descent.tokens_ahead = 0;
    descent.weight_ahead = 0;
    descent.collected_count = 0;
    descent.kept_weight = 0;
    descent.kept = 0;
    descent.first = UINT64_MAX;
    descent.last = 0;
}

/*
 * descend_block() finds the token with which the goal is reached: descent.cut,
 * and what stands ahead of it.  Of the tokens ahead of the collected range the
 * weights are then in the tiles' sums.  False: the goal is a count, and lies in
 * a bin without weight; the ends of that bin are not looked for.
 *
 * row.pass() goes over all of the row.  With 'binned' the descent has the row's
 * histogram by distance; without, the range is set, and no goal is wanted but
 * its collection.  Call from every thread of the block, behind a barrier and
 * start_descent().  Ends with a barrier.
 */
template <int Threads, typename Row>
__device__ bool descend_block(Row &row, const weigher &weigher, bool binned,
                              measure measure, uint64_t goal,
                              descent<Threads> &descent)
{
    if (binned) {
        find_bin_block(descent, measure, goal);
        if (descent.weight == 0)
            return false;
        enter_distance_bin_block(descent, weigher);
    }
    while (descent.tokens > most_collected) {
        int shift = bin_shift(descent);
        clear_bins_block<Threads>(descent.bins);
        __syncthreads();
        row.pass(pass::bin_places, descent);
        __syncthreads();
        find_bin_block(descent, measure, goal);
        enter_place_bin_block(descent, shift);
    }
    row.pass(pass::collect, descent);
    __syncthreads();
    while (descent.tokens > 1) {
        int shift = bin_shift(descent);
        clear_bins_block<Threads>(descent.bins);
        __syncthreads();
        bin_collected_block(weigher, descent);
        __syncthreads();
        find_bin_block(descent, measure, goal);
        enter_place_bin_block(descent, shift);
    }

    for (uint32_t i = threadIdx.x; i < descent.collected_count; i += Threads) {
        unsigned long long rank = descent.collected[i];
        uint64_t place = place_of(rank);
        if (place <= descent.first && place >= descent.last)
            descent.cut = rank;
    }
    __syncthreads();
    return true;
}

/*
 * keep_collected_block() adds the weights of the collected tokens that the cut
 * and min-p leave to the sums of their tiles and of the row.
 *
 * Call from every thread of the block, behind a barrier.  Ends with one.
 */
template <int Threads>
__device__ void keep_collected_block(const weigher &weigher,
                                     unsigned long long *tile_sums,
                                     descent<Threads> &descent)
{
    for (uint32_t i = threadIdx.x; i < descent.collected_count; i += Threads) {
        unsigned long long rank = descent.collected[i];
        if (rank < descent.cut)
            continue;
        uint64_t weight = weigher.weight(logit_of(key_of_rank(rank)));
        if (weight < weigher.threshold)
            continue;
        atomicAdd(&tile_sums[token_of_rank(rank) / warp_tile_tokens],
                  (unsigned long long)weight);
        atomicAdd(&descent.kept_weight, (unsigned long long)weight);
        atomicAdd(&descent.kept, 1u);
    }
    __syncthreads();
}

} // namespace tessera

#endif
