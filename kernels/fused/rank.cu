/*
 * rank.cu - put a row's best tokens in order, and answer the row if it can be
 */

#include "../stages/temperature.cuh"
#include "bins.cuh"
#include "finish.cuh"
#include "selector.cuh"

namespace tessera
{

namespace
{

constexpr int threads = 512;

union storage {
    selector selector;
    finish_storage<threads> finish;
};

/* Leaves the best k of the row's lists, in order and padded with zeros to a
 * power of two, at the start of the selector's ranks.  Gives their number, at
 * most k. */
__device__ uint32_t merge_block(const fused_view &fused, uint32_t k,
                                selector &selector)
{
    size_t first = blockIdx.x * (size_t)fused.select_parts;
    uint32_t total = 0;

    start_selector_block(selector);
    for (int32_t part = 0; part < fused.select_parts; part++)
        total += fused.list_counts[first + part];
    __syncthreads();

    for (int32_t part = 0; part < fused.select_parts; part++) {
        const unsigned long long *ranks =
            fused.lists + (first + part) * most_selected;
        uint32_t count = fused.list_counts[first + part];

        for (uint32_t start = 0; start < count; start += threads) {
            uint32_t i = start + threadIdx.x;
            unsigned long long rank = i < count ? ranks[i] : 0;
            while (true) {
                bool full = rank >= selector.threshold && rank != 0 &&
                            !append_thread(selector, rank);
                if (!full)
                    rank = 0;
                /* Without a vote where there is room for all. */
                if (total <= selector_capacity || !__syncthreads_or(full))
                    break;
                keep_best_block<threads>(selector, k);
            }
        }
    }
    __syncthreads();
    keep_best_block<threads>(selector, k);

    uint32_t count = selector.count;
    uint32_t words = power_of_two(count);
    for (uint32_t i = count + threadIdx.x; i < words; i += threads)
        selector.ranks[i] = 0;
    __syncthreads();
    sort_descending_block<threads>(selector.ranks, words);
    return count;
}

/* Whether top-p keeps, likely, none but ranked tokens: if those behind weigh a
 * quarter of the last one on average.  Either answer is right; this one is
 * fast. */
__device__ bool likely_ranked(const fused_view &fused, const row_state &state,
                              uint32_t ranked, uint64_t sum, uint64_t last)
{
    uint64_t behind = ((uint32_t)fused.call.vocab - ranked) * (last / 4);
    return sum >= top_p_need(state.params.top_p, sum + behind);
}

/* How a row goes on that has a token and draws.  'last' is the weight of the
 * last ranked token, 'sum' that of all of them. */
__device__ row_path path_of(const fused_view &fused, const row_state &state,
                            uint32_t select, uint32_t ranked, uint64_t sum,
                            uint64_t last)
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

/* By one warp: the lowest logit whose weight reaches the threshold, found among
 * all keys by 32 at a time.  Weights never fall as keys rise, and that of the
 * best reaches every threshold. */
__device__ float least_kept_warp(const row_state &state, uint64_t threshold)
{
    float m = logit_of(key_of_rank(state.best));
    uint32_t low = key_of_lowest;
    uint32_t high = key_of_rank(state.best);
    uint32_t lane = threadIdx.x % 32;

    while (low < high) {
        uint32_t step = (high - low) / 32 + 1;
        uint32_t key = high - low < lane * step ? high : low + lane * step;
        bool reaches = weight_of(__fsub_rn(logit_of(key), m), state.c,
                                 state.dmin) >= threshold;
        uint32_t all = __ballot_sync(0xffffffff, reaches);
        int first = all != 0 ? __ffs((int)all) - 1 : 32;

        if (first < 32)
            high = __shfl_sync(0xffffffff, key, first);
        if (first > 0)
            low = __shfl_sync(0xffffffff, key, first - 1) + 1;
    }
    return logit_of(high);
}

} // namespace

/*
 * rank_kernel merges the lists of a row, and answers it where no token behind
 * them matters.
 *
 *   Launch     one block a row, 512 threads
 *   Thread     a rank of each list a step; then two consecutive ranks
 *   Reads      the row's lists
 *   Writes     the outputs of rows that are answered, and of those that are
 *              empty or invalid; of the others the ranking, and zeros where
 *              histogram and sums will be
 *   Shared     the selector, 33 KiB, then the ranking and what follows from it
 *   Barriers   those of the selector, of sorts of the ranking and of the kept
 *              tokens, and 8 between
 */
__global__ void __launch_bounds__(threads, 2) rank_kernel(fused_view fused)
{
    __shared__ storage storage;
    __shared__ row_state state;

    fused_row &row = fused.rows[blockIdx.x];
    unsigned long long *ranking =
        fused.ranking + blockIdx.x * (size_t)most_selected;
    if (!row.state.valid) {
        write_row_block(fused, blockIdx.x, row.state, key_out, ranking);
        return;
    }

    uint32_t select = row.select;
    uint32_t ranked = merge_block(fused, select, storage.selector);
    static_assert(offsetof(finish_storage<threads>, ranks) ==
                      offsetof(selector, ranks),
                  "the ranking stays where it is");
    unsigned long long best = ranked > 0 ? storage.finish.ranks[0] : 0;
    if (threadIdx.x == 0) {
        state = row.state;
        state.best = best;
        storage.finish.key = key_of_rank(best);
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
        uint64_t sum =
            weigh_ranking_block(storage.finish, state, ranked, before);
        uint64_t last = storage.finish.weights[ranked - 1];
        path = path_of(fused, state, select, ranked, sum, last);
        if (path == path_done)
            finish_ranking_block(storage.finish, state, ranked, sum, before);
    }
    if (path == path_done)
        write_row_block(fused, blockIdx.x, state, storage.finish.key,
                        storage.finish.ranks);

    if (path != path_done)
        for (uint32_t i = threadIdx.x; i < ranked; i += threads)
            ranking[i] = storage.finish.ranks[i];
    if (path == path_binned)
        for (uint32_t bin = threadIdx.x; bin < most_bins; bin += threads) {
            size_t place = blockIdx.x * (size_t)most_bins + bin;
            fused.bin_weights[place] = 0;
            fused.bin_counts[place] = 0;
        }
    if ((path == path_sum || path == path_total) && threadIdx.x < 32) {
        float least =
            least_kept_warp(state, path == path_sum ? state.threshold : 1);
        if (threadIdx.x == 0)
            row.least = least;
    }
    if (threadIdx.x == 0) {
        float first = logit_of(key_of_rank(best));
        float last =
            path == path_done
                ? first
                : logit_of(key_of_rank(storage.finish.ranks[ranked - 1]));
        row.path = path;
        row.bin_scale = bin_scale_of(state.c, __fsub_rn(first, last));
        row.state = state;
    }
}

/*
 * rank_raw_kernel merges the lists of a row as given, and makes its state ready
 * for sums over it.
 *
 *   Launch     one block a row, 512 threads
 *   Thread     a rank of each list a step
 *   Reads      the row's lists
 *   Writes     the ranking; the state
 *   Shared     the selector, 33 KiB
 *   Barriers   those of the selector and of a sort of the ranking
 */
__global__ void __launch_bounds__(threads, 2) rank_raw_kernel(fused_view fused)
{
    __shared__ selector selector;

    fused_row &row = fused.rows[blockIdx.x];
    if (!row.state.valid)
        return;
    uint32_t ranked =
        merge_block(fused, max(fused.raw_list_length, 1u), selector);
    for (uint32_t i = threadIdx.x; i < ranked; i += threads)
        fused.ranking[blockIdx.x * (size_t)most_selected + i] =
            selector.ranks[i];
    if (threadIdx.x == 0) {
        row.ranked = ranked;
        row.state.best = ranked > 0 ? selector.ranks[0] : 0;
        row.state.sum = 0;
        row.state.c = scale_of(1.0f);
        row.state.dmin = lowest_distance(row.state.c);
    }
}

cudaError_t launch_rank(const fused_view &fused, view view, const queue &queue)
{
    dim3 blocks((unsigned)fused.call.rows);

    if (view == view::raw)
        return launch("rank_raw", rank_raw_kernel, blocks, threads, queue,
                      fused);
    return launch("rank", rank_kernel, blocks, threads, queue, fused);
}

} // namespace tessera
