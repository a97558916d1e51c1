/*
 * guess.cu - the weights of a row in the first read of its logits, should the
 *            largest be what the caller said
 */

#include "../launch_typed.h"
#include "tiles.cuh"

namespace tessera
{

namespace
{

constexpr int threads = 256;

/* The largest that the warp's threads have, in all of them. */
__device__ float largest_warp(float x)
{
    for (int offset = 16; offset > 0; offset /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, offset));
    return x;
}

} // namespace

/*
 * guess_kernel weighs the tokens of guessed rows against the logit that the
 * caller said is the largest, and finds the one that is: see guess_holds().  Of
 * state.best it leaves the key, all that such a row has a use for.
 *
 *   Launch     a block some tiles of a row, 256 threads, three blocks an SM: a
 *              thread of it has need of up to 74 registers, weigh's of 64
 *   Thread     a warp a tile: 4 loads of 16 bytes a step, or 2 of 16-bit
 *              logits, side by side
 *   Reads      the logits, as select does
 *   Writes     a sum a tile, and the row's; its largest logit; whether there is
 *              a NaN
 *   Shared     none
 *   Barriers   none
 *
 * Blocks of a row meet in sums of integers, a maximum and an or.
 */
template <typename T>
__global__ void __launch_bounds__(threads, 3) guess_kernel(fused_view fused)
{
    fused_row &row = fused.rows[blockIdx.y];
    if (!row.guessed)
        return;

    row_state &state = row.state;
    row_reader<T> reader(fused, row, blockIdx.y, view::processed);
    float m = logit_of(key_of(state.maximum));
    float largest = minus_infinity();
    bool nan = false;

    sum_tiles_block<threads>(tiles_of_block(fused, reader), state, m, row.least,
                             fused.tile_sums + blockIdx.y * (size_t)fused.tiles,
                             [&](float x) {
                                 largest = fmaxf(largest, x); /* not a NaN */
                                 nan = nan || isnan(x);
                                 /* Above m there is no weight; nor is the sum
                                  * used. */
                                 return fminf(x, m);
                             });
    uint32_t key = key_of(largest_warp(largest));
    if (threadIdx.x % 32 == 0 && is_in(key))
        atomicMax(&state.best, rank_of(key, 0));
    if (nan)
        atomicOr(&state.nan, 1u);
}

cudaError_t launch_guess(const fused_view &fused, const queue &queue)
{
    dim3 blocks((unsigned)fused.weigh_parts, (unsigned)fused.call.rows);

    return launch_typed(fused.call.batch.logits_type, [&](auto logit) {
        return launch("guess", guess_kernel<decltype(logit)>, blocks, threads,
                      queue, fused);
    });
}

} // namespace tessera
