/*
 * passes.cuh - the passes of a descent, and their order
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

/* What a pass of a descent does. */
enum class pass {
    take_histogram, /* takes weigh's histogram, by distance */
    bin_distances,  /* makes such a one of the row */
    bin_places,     /* a histogram by place of the row's tokens in the range */
    collect,        /* collects them */
    bin_collected, /* a histogram by place of the collected ones in the range */
};

/*
 * pass_over_row_block() reads the row once: puts its tokens, or those in the
 * range, into bins, or collects those in the range and adds up the weights that
 * min-p leaves of those ahead of it, a sum a tile and the row's.
 *
 * Call from every thread of the block, behind a barrier.
 */
template <int Threads, typename T>
__device__ void
pass_over_row_block(const fused_view &fused, const row_reader<T> &reader,
                    const weigher &weigher, pass pass,
                    unsigned long long *tile_sums, descent<Threads> &descent)
{
    uint64_t first = descent.first;
    uint64_t last = descent.last;
    int shift = bin_shift(descent);
    unsigned long long sum = 0;
    uint32_t kept = 0;

    for (int32_t tile = (int32_t)threadIdx.x / 32; tile < fused.tiles;
         tile += Threads / 32) {
        uint64_t tile_sum = 0;
        visit_tile_warp(
            reader, tile, fused.call.vocab, is_unbounded(weigher.m),
            [&](int32_t token, float x) {
                if (!(x >= -FLT_MAX))
                    return;
                unsigned long long rank = rank_of(key_of(x), token);
                uint64_t place = place_of(rank);
                bool in_range = place <= first && place >= last;
                if (place < last)
                    return;
                float distance = __fsub_rn(x, weigher.m);
                uint64_t weight = weight_of(distance, weigher.c, weigher.dmin);
                if (pass == pass::bin_distances) {
                    add_to_bin_thread(descent.bins,
                                      bin_of(distance, weigher.bin_scale),
                                      weight);
                } else if (pass == pass::bin_places) {
                    if (in_range)
                        add_to_bin_thread(descent.bins,
                                          (uint32_t)((first - place) >> shift),
                                          weight);
                } else if (in_range) {
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

/* Takes the histogram that weigh made.  Call from every thread of the block. */
template <int Threads>
__device__ void take_histogram_block(const fused_view &fused,
                                     descent<Threads> &descent)
{
    for (uint32_t bin = threadIdx.x; bin < most_bins; bin += Threads) {
        size_t place = blockIdx.x * (size_t)most_bins + bin;
        unsigned long long weight = fused.bin_weights[place];
        descent.bins.counts[bin] = fused.bin_counts[place];
        descent.bins.low[bin] = (uint32_t)weight;
        descent.bins.high[bin] = (uint32_t)(weight >> 32);
    }
}

/*
 * descend_block() finds the token with which the goal is reached: descent.cut,
 * and what stands ahead of it.  Of the tokens ahead of the collected range the
 * weights are then in the tiles' sums.  False: the goal is a count, and lies in
 * a bin without weight; the ends of that bin are not looked for.
 *
 * Starts with a pass 'start': one by distance, or 'collect' where the range is
 * set already.  Call from every thread of the block, behind a barrier.  Ends
 * with one.
 */
template <int Threads, typename T>
__device__ bool
descend_block(const fused_view &fused, const row_reader<T> &reader,
              const weigher &weigher, pass start, measure measure,
              uint64_t goal, unsigned long long *tile_sums,
              descent<Threads> &descent)
{
    if (threadIdx.x == 0) {
        descent.tokens_ahead = 0;
        descent.weight_ahead = 0;
        descent.collected_count = 0;
        descent.kept_weight = 0;
        descent.kept = 0;
        if (start != pass::collect) {
            descent.first = UINT64_MAX;
            descent.last = 0;
        }
    }
#pragma unroll 1
    for (pass pass = start;;) {
        if (pass == pass::take_histogram)
            take_histogram_block(fused, descent);
        else if (pass != pass::collect)
            clear_bins_block<Threads>(descent.bins);
        __syncthreads();
        if (pass == pass::bin_collected)
            bin_collected_block(weigher, descent);
        else if (pass != pass::take_histogram)
            pass_over_row_block(fused, reader, weigher, pass, tile_sums,
                                descent);
        __syncthreads();

        if (pass == pass::collect) {
            pass = pass::bin_collected;
        } else {
            int shift = bin_shift(descent);
            find_bin_block(descent, measure, goal);
            if (pass == pass::bin_places || pass == pass::bin_collected) {
                enter_place_bin_block(descent, shift);
            } else {
                if (descent.weight == 0)
                    return false;
                enter_distance_bin_block(descent, weigher);
            }
            if (pass != pass::bin_collected)
                pass = descent.tokens > most_collected ? pass::bin_places
                                                       : pass::collect;
        }
        if (pass == pass::bin_collected && descent.tokens <= 1)
            break;
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
