/*
 * guess.cu - the weights of a row in the first read of its logits, should the
 *            largest be what the caller said
 */

#include "../stages/weight.cuh"
#include "tiles.cuh"

namespace tessera
{

namespace
{

constexpr int threads = 512;

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
 *   Launch     a block some tiles of a row, 512 threads; with the registers for
 *              two blocks an SM it spills on sm_100
 *   Thread     a warp a tile: 4 loads of 16 bytes a step, or 2 of 16-bit logits,
 *              side by side
 *   Reads      the logits, as select does
 *   Writes     a sum a tile, and the row's; its largest logit; whether there is
 *              a NaN
 *   Shared     none
 *   Barriers   none
 *
 * Blocks of a row meet in sums of integers, a maximum and an or.
 */
template <typename T>
__global__ void __launch_bounds__(threads, 1) guess_kernel(fused_view fused)
{
    fused_row &row = fused.rows[blockIdx.y];
    if (!row.guessed)
        return;

    row_state &state = row.state;
    row_reader<T> reader(fused, row, blockIdx.y, view::processed);
    unsigned long long *sums =
        fused.tile_sums + blockIdx.y * (size_t)fused.tiles;
    float m = logit_of(key_of(state.maximum));
    float c = state.c;
    float dmin = state.dmin;
    float least = row.least;
    tiles_in_memory<T> tiles = tiles_of_block(fused, reader);
    unsigned long long sum = 0;
    uint32_t kept = 0;
    float largest = minus_infinity();
    bool nan = false;

    for (int32_t tile = tiles.first + (int32_t)threadIdx.x / 32;
         tile < tiles.end; tile += threads / 32) {
        uint64_t tile_sum = 0;
        tiles.visit_warp(tile, is_unbounded(m), [&](int32_t, float x) {
            /* Above m there is no weight; nor is the sum used. */
            uint64_t weight = weight_of(__fsub_rn(fminf(x, m), m), c, dmin);
            if (x >= least) {
                tile_sum += weight;
                kept++;
            }
            largest = fmaxf(largest, x); /* not a NaN */
            nan = nan || isnan(x);
        });
        tile_sum = sum_warp(tile_sum);
        sum += tile_sum;
        if (threadIdx.x % 32 == 0)
            sums[tile] = tile_sum;
    }
    kept = sum_warp(kept);
    uint32_t key = key_of(largest_warp(largest));
    if (threadIdx.x % 32 == 0 && is_in(key)) {
        atomicAdd(&state.sum, sum);
        atomicAdd(&state.kept, kept);
        atomicMax(&state.best, rank_of(key, 0));
    }
    if (nan)
        atomicOr(&state.nan, 1u);
}

cudaError_t launch_guess(const fused_view &fused, const queue &queue)
{
    dim3 blocks((unsigned)fused.weigh_parts, (unsigned)fused.call.rows);

    switch (fused.call.batch.logits_type) {
    case TESSERA_FLOAT16:
        return launch("guess", guess_kernel<__half>, blocks, threads, queue,
                      fused);
    case TESSERA_BFLOAT16:
        return launch("guess", guess_kernel<__nv_bfloat16>, blocks, threads,
                      queue, fused);
    default:
        return launch("guess", guess_kernel<float>, blocks, threads, queue,
                      fused);
    }
}

} // namespace tessera
