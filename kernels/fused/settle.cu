/*
 * settle.cu - answer the rows that their ranked tokens do not, a block each
 */

#include "../launch_typed.h"
#include "settle_block.cuh"

namespace tessera
{

namespace
{

constexpr int threads = 512;

union storage {
    descent<threads> descent;
    finish_storage<threads> finish;
};

/* A row all of whose tokens one block takes, from memory. */
template <typename T>
struct row_in_memory {
    static constexpr bool one_place = true;

    const fused_view &fused;
    const fused_row &row;

    __device__ unsigned long long *tile_sums() const
    {
        return fused.tile_sums + blockIdx.x * (size_t)fused.tiles;
    }

    /* Call from every thread of the block, behind a barrier. */
    __device__ void pass(tessera::pass pass, descent<threads> &descent) const
    {
        row_reader<T> reader(fused, row, blockIdx.x, view::processed);
        tiles_in_memory<T> tiles = {reader, fused.call.vocab, 0, fused.tiles};
        pass_over_tiles_block(tiles, weigher(row), pass, tile_sums(), descent);
    }

    /* Takes the histogram that weigh made, or makes it.  Call from every thread
     * of the block, behind a barrier.  Ends with one. */
    __device__ void histogram(descent<threads> &descent) const
    {
        if (row.path != path_binned) {
            clear_bins_block<threads>(descent.bins);
            __syncthreads();
            pass(pass::bin_distances, descent);
        } else {
            for (uint32_t bin = threadIdx.x; bin < most_bins; bin += threads) {
                size_t place = blockIdx.x * (size_t)most_bins + bin;
                unsigned long long weight = fused.bin_weights[place];
                descent.bins.counts[bin] = fused.bin_counts[place];
                descent.bins.low[bin] = (uint32_t)weight;
                descent.bins.high[bin] = (uint32_t)(weight >> 32);
            }
        }
        __syncthreads();
    }
};

} // namespace

/*
 * settle_kernel answers the rows that rank left.
 *
 *   Launch     one block a row, 512 threads
 *   Thread     a warp a tile of 1024 tokens in each pass; then a tile's sum and
 *              two consecutive tokens of one tile
 *   Reads      path_sum: no more than the tile that holds the drawn token.
 *              path_total: the ranking; if that does not reach, the row as
 *              path_binned does and once more.  path_binned: the histogram,
 *              then the row once if no bin holds more tokens than fit on chip,
 *              and once more for each level until none does (at most four, of
 *              equal logits one or two); twice that with top-p after top-k
 *   Writes     the row's outputs; in path_binned a sum a tile
 *   Shared     the descent, 42 KiB, or the ranking and what follows from it
 *   Barriers   7 a level of the descent, those of the sorts of a ranking, and
 *              3 for each 512 tiles
 */
template <typename T>
__global__ void __launch_bounds__(threads, 1) settle_kernel(fused_view fused)
{
    __shared__ storage storage;
    __shared__ row_state state;
    __shared__ drawn_token drawn;

    fused_row &row = fused.rows[blockIdx.x];
    if (!row.state.valid || row.path == path_done)
        return;
    row_in_memory<T> tokens = {fused, row};
    settle_row_block<T>(fused, blockIdx.x, row, tokens, state, storage.finish,
                        storage.descent, drawn);
}

cudaError_t launch_settle(const fused_view &fused, const queue &queue)
{
    dim3 blocks((unsigned)fused.call.rows);

    return launch_typed(fused.call.batch.logits_type, [&](auto logit) {
        return launch("settle", settle_kernel<decltype(logit)>, blocks, threads,
                      queue, fused);
    });
}

} // namespace tessera
