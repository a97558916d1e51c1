/*
 * sum_weights.cu - the sums of kept weights, a tile of ids at a time
 */

#include "../stages/order.cuh"
#include "../stages/weight.cuh"
#include "kernels.h"

namespace tessera
{

/*
 * sum_weights_kernel weighs what is kept of a row, in the order of ids.
 *
 *   Launch     a block a tile of 4096 tokens of a row, 256 threads
 *   Thread     16 tokens, a warp's side by side
 *   Reads      the keys of the row, once
 *   Writes     a sum a tile; in a raw row only the row's sums
 *   Shared     a value a warp
 *   Barriers   1, before the warps' values are joined
 *
 * Blocks of a row meet in sums of integers.  In a raw row it also counts the
 * tokens ahead of the drawn one.
 */
template <view View>
__global__ void __launch_bounds__(tile_threads)
    sum_weights_kernel(call_view call)
{
    row_state &state = call.states[blockIdx.y];
    if (!state.valid || state.best == 0 ||
        (View == view::processed && state.greedy))
        return;

    const uint32_t *keys = call.keys + blockIdx.y * (size_t)call.stride;
    float m = logit_of(key_of_rank(state.best));
    unsigned long long drawn = View == view::raw && state.token >= 0
                                   ? rank_of(keys[state.token], state.token)
                                   : ~0ull;
    unsigned long long sum = 0;
    uint32_t kept = 0;
    uint32_t ahead = 0;

    for (int i = 0; i < tile_tokens / tile_threads; i++) {
        int32_t token = (int32_t)blockIdx.x * tile_tokens + i * tile_threads +
                        (int32_t)threadIdx.x;
        if (token >= call.vocab)
            break;

        uint32_t key = keys[token];
        unsigned long long rank = rank_of(key, token);
        if (!is_in(key))
            continue;
        ahead += rank > drawn;
        if (View == view::processed && rank < state.cut)
            continue;
        uint64_t weight =
            weight_of(__fsub_rn(logit_of(key), m), state.c, state.dmin);
        if (weight < state.threshold)
            continue;
        sum += weight;
        kept++;
    }

    __shared__ unsigned long long warp_sum[tile_threads / 32];
    __shared__ uint32_t warp_kept[tile_threads / 32];
    __shared__ uint32_t warp_ahead[tile_threads / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
        kept += __shfl_xor_sync(0xffffffff, kept, offset);
        ahead += __shfl_xor_sync(0xffffffff, ahead, offset);
    }
    if (threadIdx.x % 32 == 0) {
        warp_sum[threadIdx.x / 32] = sum;
        warp_kept[threadIdx.x / 32] = kept;
        warp_ahead[threadIdx.x / 32] = ahead;
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int warp = 1; warp < tile_threads / 32; warp++) {
        sum += warp_sum[warp];
        kept += warp_kept[warp];
        ahead += warp_ahead[warp];
    }
    if (View == view::processed)
        call.tile_sums[blockIdx.y * (size_t)call.tiles + blockIdx.x] = sum;
    atomicAdd(&state.sum, sum);
    atomicAdd(&state.kept, kept);
    if (View == view::raw)
        atomicAdd(&state.ahead, ahead);
}

cudaError_t launch_sum_weights(const call_view &call, view view,
                               const queue &queue)
{
    return launch("sum_weights",
                  view == view::raw ? sum_weights_kernel<view::raw>
                                    : sum_weights_kernel<view::processed>,
                  tiles_of(call), tile_threads, queue, call);
}

} // namespace tessera
