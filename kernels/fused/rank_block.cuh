/*
 * rank_block.cuh - put a row's best tokens in order, and answer the row if it
 * can be, by one block
 */

#ifndef TESSERA_FUSED_RANK_BLOCK_CUH
#define TESSERA_FUSED_RANK_BLOCK_CUH

#include "../stages/temperature.cuh"
#include "bins.cuh"
#include "finish.cuh"
#include "least_kept.cuh"
#include "selector.cuh"

namespace tessera
{

/* The ranking stays where the selector leaves it. */
template <int Threads>
union rank_storage {
    selector selector;
    finish_storage<Threads> finish;
};

/* The ranks that one part of a row has found. */
struct part_list {
    const unsigned long long *ranks;
    uint32_t count;
};

/*
 * merge_block() adds the lists of 'parts' parts to a selector that keeps the
 * best k; list(part) gives one.
 *
 * Call from every thread of the block, behind a barrier.  Ends with one.
 */
template <int Threads, typename List>
__device__ void merge_block(selector &selector, int32_t parts, uint32_t k,
                            List list)
{
    uint32_t total = selector.count;

    for (int32_t part = 0; part < parts; part++)
        total += list(part).count;
    __syncthreads(); /* all have the count */

    for (int32_t part = 0; part < parts; part++) {
        part_list own = list(part);

        for (uint32_t start = 0; start < own.count; start += Threads) {
            uint32_t i = start + threadIdx.x;
            unsigned long long rank = i < own.count ? own.ranks[i] : 0;
            while (true) {
                bool full = rank >= selector.threshold && rank != 0 &&
                            !append_thread(selector, rank);
                if (!full)
                    rank = 0;
                /* Without a vote where there is room for all. */
                if (total <= selector_capacity || !__syncthreads_or(full))
                    break;
                keep_best_block<Threads>(selector, k);
            }
        }
    }
    __syncthreads();
    keep_best_block<Threads>(selector, k);
}

/*
 * sort_selected_block() puts what the selector has in order, padded with zeros
 * to a power of two; gives the number.
 *
 * Call from every thread of the block, behind a barrier.  Ends with one.
 */
template <int Threads>
__device__ uint32_t sort_selected_block(selector &selector)
{
    uint32_t count = selector.count;
    uint32_t words = power_of_two(count);

    for (uint32_t i = count + threadIdx.x; i < words; i += Threads)
        selector.ranks[i] = 0;
    __syncthreads();
    sort_descending_block<Threads>(selector.ranks, words);
    return count;
}

/* Whether top-p keeps, likely, none but ranked tokens: if those behind weigh a
 * quarter of the last one on average.  Either answer is right; this one is
 * fast. */
__device__ inline bool likely_ranked(const fused_view &fused,
                                     const row_state &state, uint32_t ranked,
                                     uint64_t sum, uint64_t last)
{
    uint64_t behind = ((uint32_t)fused.call.vocab - ranked) * (last / 4);
    return sum >= top_p_need(state.params.top_p, sum + behind);
}

/* How a row goes on that has a token and draws.  'last' is the weight of the
 * last ranked token, 'sum' that of all of them. */
__device__ inline row_path path_of(const fused_view &fused,
                                   const row_state &state, uint32_t select,
                                   uint32_t ranked, uint64_t sum, uint64_t last)
{
    const tessera_params &params = state.params;

    /* All that top-k keeps, all that are in, or all that have a weight. */
    if (ranked < select || last == 0 ||
        (params.top_k > 0 && params.top_k <= most_selected))
        return path_done;
    if (params.top_k > 0)
        return path_binned;
    if (params.top_p < 1.0f)
        return likely_ranked(fused, state, ranked, sum, last) ? path_total
                                                              : path_binned;
    return last < state.threshold ? path_done : path_sum;
}

/*
 * rank_row_block() answers a row from its best tokens, which are the selector's
 * as merge_block() leaves them, if no other token matters, and writes it.  Else
 * the row goes on by the path that it gives, with the ranking in fused.ranking
 * and in storage.finish, and what the path needs in 'row'.
 *
 * Call from every thread of the block, behind a barrier.  Ends with one.
 */
template <int Threads>
__device__ row_path rank_row_block(const fused_view &fused, uint32_t chunk_row,
                                   fused_row &row, row_state &state,
                                   rank_storage<Threads> &storage)
{
    static_assert(offsetof(finish_storage<Threads>, ranks) ==
                      offsetof(selector, ranks),
                  "the ranking stays where it is");
    finish_storage<Threads> &finish = storage.finish;
    unsigned long long *ranking =
        fused.ranking + chunk_row * (size_t)most_selected;
    uint32_t ranked = sort_selected_block<Threads>(storage.selector);
    unsigned long long best = ranked > 0 ? finish.ranks[0] : 0;
    if (threadIdx.x == 0) {
        state = row.state;
        state.best = best;
        finish.key = key_of_rank(best);
        if (state.greedy && ranked > 0) {
            state.token = token_of_rank(best);
            state.kept = 1;
            state.sum = weight_one;
        }
        row.ranked = ranked;
    }
    __syncthreads();

    row_path path = path_done;
    if (!state.greedy && ranked > 0) {
        uint64_t before;
        uint64_t sum = weigh_ranking_block(finish, state, ranked, before);
        uint64_t last = finish.weights[ranked - 1];
        path = path_of(fused, state, row.select, ranked, sum, last);
        if (path == path_done)
            finish_ranking_block(finish, state, ranked, sum, before);
    }
    if (path == path_done)
        write_row_block(fused, chunk_row, state, finish.key, finish.ranks);
    else
        for (uint32_t i = threadIdx.x; i < ranked; i += Threads)
            ranking[i] = finish.ranks[i];
    if ((path == path_sum || path == path_total) && threadIdx.x < 32) {
        float least =
            least_kept_warp(key_of_rank(state.best), state.c, state.dmin,
                            path == path_sum ? state.threshold : 1);
        if (threadIdx.x == 0)
            row.least = least;
    }
    if (threadIdx.x == 0) {
        float first = logit_of(key_of_rank(best));
        float last = path == path_done
                         ? first
                         : logit_of(key_of_rank(finish.ranks[ranked - 1]));
        row.path = path;
        row.scales = bin_scales_of(state.c, __fsub_rn(first, last));
        row.state = state;
    }
    __syncthreads();
    return path;
}

} // namespace tessera

#endif
