/*
 * weigh.cu - the weights of a row, in a second read of its logits
 */

#include "../launch_typed.h"
#include "guess.cuh"
#include "tiles.cuh"

namespace tessera
{

namespace
{

constexpr int threads = 512;

/* Adds the block's tiles to the row's histogram. */
template <typename Tiles>
__device__ void add_histogram_block(const fused_view &fused, const Tiles &tiles,
                                    const fused_row &row, bins &bins)
{
    clear_bins_block<threads>(bins);
    __syncthreads();
    bin_tiles_block<threads>(tiles, weigher(row), bins);
    __syncthreads();
    for (uint32_t bin = threadIdx.x; bin < most_bins; bin += threads) {
        size_t place = blockIdx.y * (size_t)most_bins + bin;
        if (bins.counts[bin] == 0)
            continue;
        atomicAdd(&fused.bin_counts[place], bins.counts[bin]);
        atomicAdd(&fused.bin_weights[place],
                  (unsigned long long)weight_of_bin(bins, bin));
    }
}

} // namespace

/*
 * weigh_kernel weighs the tokens of a row that rank could not answer.
 *
 *   Launch     a block some tiles of a row, 512 threads, two blocks an SM: left
 *              to itself ptxas aims at more on sm_100, and spills
 *   Thread     a warp a tile: 4 loads of 16 bytes a step, or 2 of 16-bit
 *              logits, side by side
 *   Reads      the logits, as select does
 *   Writes     path_sum and path_total: a sum a tile, and the row's; else the
 *              bins in which the block saw a token
 *   Shared     the bins, 24 KiB
 *   Barriers   path_binned: 2, around the pass
 *
 * Blocks of a row meet in sums of integers.
 */
template <typename T>
__global__ void __launch_bounds__(threads, 2) weigh_kernel(fused_view fused)
{
    __shared__ bins bins;

    fused_row &row = fused.rows[blockIdx.y];
    if (!row.state.valid || row.path == path_done || guess_holds(fused, row))
        return;
    row_reader<T> reader(fused, row, blockIdx.y, view::processed);
    tiles_in_memory<T> tiles = tiles_of_block(fused, reader);
    if (row.path == path_binned)
        add_histogram_block(fused, tiles, row, bins);
    else
        sum_tiles_block<threads>(
            tiles, row.state, weigher(row).m, row.least,
            fused.tile_sums + blockIdx.y * (size_t)fused.tiles, as_it_is{});
}

/*
 * weigh_raw_kernel adds the weights of a row as given up, and counts the tokens
 * ahead of the drawn one.
 *
 *   Launch     a block some tiles of a row, 512 threads
 *   Thread     a warp a tile: 4 loads of 16 bytes a step, or 2 of 16-bit
 *              logits, side by side
 *   Reads      the logits of the row once
 *   Writes     the row's sum and count
 *   Shared     none
 *   Barriers   none
 *
 * Blocks of a row meet in sums of integers.
 */
template <typename T>
__global__ void __launch_bounds__(threads) weigh_raw_kernel(fused_view fused)
{
    fused_row &row = fused.rows[blockIdx.y];
    row_state &state = row.state;
    if (!state.valid || state.best == 0)
        return;

    row_reader<T> reader(fused, row, blockIdx.y, view::raw);
    float m = logit_of(key_of_rank(state.best));
    float c = state.c;
    float dmin = state.dmin;
    int32_t drawn = state.token;
    /* No token is ahead of one that is not there. */
    float drawn_x = drawn >= 0 ? logit_of(reader.key(drawn)) : FLT_MAX;
    tiles_in_memory<T> tiles = tiles_of_block(fused, reader);
    unsigned long long sum = 0;
    uint32_t ahead = 0;

    for (int32_t tile = tiles.first + (int32_t)threadIdx.x / 32;
         tile < tiles.end; tile += threads / 32)
        tiles.visit_warp(tile, is_unbounded(m), [&](int32_t token, float x) {
            sum += weight_of(__fsub_rn(x, m), c, dmin);
            ahead += x > drawn_x || (x == drawn_x && token < drawn);
        });
    sum = sum_warp(sum);
    ahead = sum_warp(ahead);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&state.sum, sum);
        atomicAdd(&state.ahead, ahead);
    }
}

cudaError_t launch_weigh(const fused_view &fused, view view, const queue &queue)
{
    dim3 blocks((unsigned)fused.weigh_parts, (unsigned)fused.call.rows);

    return launch_typed(fused.call.batch.logits_type, [&](auto logit) {
        using T = decltype(logit);
        if (view == view::raw)
            return launch("weigh_raw", weigh_raw_kernel<T>, blocks, threads,
                          queue, fused);
        return launch("weigh", weigh_kernel<T>, blocks, threads, queue, fused);
    });
}

} // namespace tessera
