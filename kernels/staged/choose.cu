/*
 * choose.cu - draw a row's token, in the order of ids
 */

#include "../stages/order.cuh"
#include "../stages/weight.cuh"
#include "kernels.h"

#include <cub/block/block_scan.cuh>

/* Brings tables of another generator into the object: only here. */
#include <curand_kernel.h>

namespace tessera
{

namespace
{

constexpr int threads = 256;
constexpr int items = tile_tokens / threads;

using block_scan =
    cub::BlockScan<uint64_t, threads, cub::BLOCK_SCAN_WARP_SCANS>;

__device__ uint64_t random_of(const tessera_params &params)
{
    curandStatePhilox4_32_10_t generator;

    curand_init(params.seed, params.stream, 4 * params.step, &generator);
    uint4 words = curand4(&generator);
    return (uint64_t)words.x << 32 | words.y;
}

} // namespace

/*
 * choose_kernel finds the token that holds the target.
 *
 *   Launch     one block a row, 256 threads
 *   Thread     a tile's sum at a time, then 16 consecutive tokens of one tile
 *   Reads      the sums of the row's tiles up to the one that holds the
 *              target, and the keys of that tile
 *   Writes     the token
 *   Shared     CUB's scratch, the target, the tile
 *   Barriers   1 for the target; 3 for each 256 tiles, one inside the scan
 *              and two after it, for the scratch and for the tile that a
 *              thread may have found; 1 inside the last scan
 *
 * A greedy row draws nothing: its best token is the answer.
 */
__global__ void __launch_bounds__(threads) choose_kernel(call_view call)
{
    __shared__ block_scan::TempStorage scratch;
    __shared__ uint64_t target;
    __shared__ int32_t tile;
    __shared__ uint64_t before_tile;

    row_state &state = call.states[blockIdx.x];
    if (!state.valid || state.best == 0)
        return;
    if (state.greedy) {
        if (threadIdx.x == 0) {
            state.token = token_of_rank(state.best);
            state.kept = 1;
            state.sum = weight_one;
        }
        return;
    }
    if (threadIdx.x == 0) {
        target = __umul64hi(random_of(state.params), state.sum);
        tile = -1;
    }
    __syncthreads();

    const unsigned long long *sums =
        call.tile_sums + blockIdx.x * (size_t)call.tiles;
    uint64_t before = 0;
    for (int32_t start = 0; tile < 0; start += threads) {
        int32_t mine = start + (int32_t)threadIdx.x;
        uint64_t sum = mine < call.tiles ? sums[mine] : 0;
        uint64_t up_to;
        uint64_t step_sum;

        block_scan(scratch).ExclusiveSum(sum, up_to, step_sum);
        up_to += before;
        before += step_sum;
        __syncthreads(); /* all have read 'tile' and used the scratch */
        if (up_to <= target && target < up_to + sum) {
            tile = mine;
            before_tile = up_to;
        }
        __syncthreads();
    }

    const uint32_t *keys = call.keys + blockIdx.x * (size_t)call.stride;
    float m = logit_of(key_of_rank(state.best));
    int32_t first = tile * tile_tokens + (int32_t)threadIdx.x * items;
    uint64_t weights[items];
    uint64_t sum = 0;
    for (int i = 0; i < items; i++) {
        int32_t token = first + i;
        weights[i] = 0;
        if (token >= call.vocab)
            continue;
        uint32_t key = keys[token];
        if (!is_in(key) || rank_of(key, token) < state.cut)
            continue;
        uint64_t weight =
            weight_of(__fsub_rn(logit_of(key), m), state.c, state.dmin);
        if (weight >= state.threshold)
            weights[i] = weight;
        sum += weights[i];
    }
    uint64_t up_to;
    block_scan(scratch).ExclusiveSum(sum, up_to);
    up_to += before_tile;
    if (target < up_to || target >= up_to + sum)
        return;
    for (int i = 0; i < items; i++) {
        up_to += weights[i];
        if (target < up_to) {
            state.token = first + i;
            return;
        }
    }
}

cudaError_t launch_choose(const call_view &call, const queue &queue)
{
    return launch("choose", choose_kernel, dim3((unsigned)call.rows), threads,
                  queue, call);
}

} // namespace tessera
