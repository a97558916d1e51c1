/*
 * rank.cu - merge what the parts of a row found, and answer it if it can be
 */

#include "guess.cuh"
#include "rank_block.cuh"

namespace tessera
{

namespace
{

constexpr int threads = 512;

/* The best k of the row's lists, as select left them. */
__device__ void merge_lists_block(const fused_view &fused, uint32_t k,
                                  selector &selector)
{
    size_t first = blockIdx.x * (size_t)fused.select_parts;

    start_selector_block(selector);
    __syncthreads();
    merge_block<threads>(selector, fused.select_parts, k, [&](int32_t part) {
        size_t list = first + (size_t)part;
        return part_list{fused.lists + list * most_selected,
                         fused.list_counts[list]};
    });
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
 *              histogram and sums will be; of those that guess weighed right
 *              the path alone
 *   Shared     the selector, 33 KiB, then the ranking and what follows from it
 *   Barriers   those of the selector, of sorts of the ranking and of the kept
 *              tokens, and 11 between
 */
__global__ void __launch_bounds__(threads, 2) rank_kernel(fused_view fused)
{
    __shared__ rank_storage<threads> storage;
    __shared__ row_state state;

    fused_row &row = fused.rows[blockIdx.x];
    if (!row.state.valid) {
        write_row_block(fused, blockIdx.x, row.state, key_out, nullptr);
        return;
    }

    if (guess_holds(fused, row)) {
        if (threadIdx.x == 0)
            row.path = path_sum;
        return;
    }
    if (threadIdx.x == 0 && fused.guesses) {
        row.state.sum = 0;
        row.state.kept = 0;
    }

    merge_lists_block(fused, row.select, storage.selector);
    row_path path = rank_row_block(fused, blockIdx.x, row, state, storage);
    if (path == path_binned)
        for (uint32_t bin = threadIdx.x; bin < most_bins; bin += threads) {
            size_t place = blockIdx.x * (size_t)most_bins + bin;
            fused.bin_weights[place] = 0;
            fused.bin_counts[place] = 0;
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
    merge_lists_block(fused, max(fused.raw_list_length, 1u), selector);
    uint32_t ranked = sort_selected_block<threads>(selector);
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
