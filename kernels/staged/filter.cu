/*
 * filter.cu - top-k, top-p and min-p on ranked rows: where the row is cut
 */

#include "../stages/min_p.cuh"
#include "../stages/order.cuh"
#include "../stages/top_k.cuh"
#include "../stages/top_p.cuh"
#include "../stages/weight.cuh"
#include "kernels.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace tessera
{

namespace
{

constexpr int threads = 512;
constexpr int items = 8; /* consecutive tokens of a thread, a step */

using block_reduce = cub::BlockReduce<uint64_t, threads>;
using block_scan =
    cub::BlockScan<uint64_t, threads, cub::BLOCK_SCAN_WARP_SCANS>;

/* The ranked tokens of a row. */
struct ranking {
    const uint32_t *keys;
    float m;
    float c;
    float dmin;

    __device__ uint64_t weight(uint32_t i) const
    {
        return weight_of(__fsub_rn(logit_of(keys[i]), m), c, dmin);
    }
};

} // namespace

/*
 * filter_kernel finds what the filters keep of each ranked row.
 *
 * Weights never rise along the ranking, so what top-k, top-p and min-p keep
 * together is a prefix: its length is counted, and its last token is the cut.
 *
 *   Launch     one block a row, 512 threads: a prefix sum over the ranking
 *   Thread     8 tokens a step
 *   Reads      the sorted keys of what top-k keeps, twice with top-p (once for
 *              the total, then up to the cut), else once
 *   Writes     the cut and the threshold
 *   Shared     CUB's scratch, and the total
 *   Barriers   1 for the total, 1 behind it; 2 a step, one inside the scan
 *              and one before its scratch is used again; 1 for the number kept
 */
__global__ void __launch_bounds__(threads) filter_kernel(call_view call)
{
    __shared__ union {
        block_reduce::TempStorage reduce;
        block_scan::TempStorage scan;
    } scratch;
    __shared__ uint64_t need;

    row_state &state = call.states[blockIdx.x];
    if (!state.valid || state.greedy || state.best == 0)
        return;

    uint64_t threshold = min_p_threshold(state.params.min_p);
    if (threadIdx.x == 0)
        state.threshold = threshold;
    if (!state.sorted)
        return;

    ranking ranking = {call.sorted_keys + blockIdx.x * (size_t)call.stride,
                       logit_of(key_of_rank(state.best)), state.c, state.dmin};
    uint32_t top_k = top_k_count(state.params.top_k, state.in);
    float top_p = state.params.top_p;

    uint64_t total = 0;
    if (top_p < 1.0f) {
        for (uint32_t i = threadIdx.x; i < top_k; i += threads)
            total += ranking.weight(i);
        total = block_reduce(scratch.reduce).Sum(total);
    }
    if (threadIdx.x == 0)
        need = top_p_need(top_p, total);
    __syncthreads();

    uint64_t before = 0; /* weight of the steps so far */
    uint32_t kept = 0;   /* this thread's */
    for (uint32_t start = 0; start < top_k && before < need;
         start += threads * items) {
        uint32_t first = start + threadIdx.x * items;
        uint64_t weights[items];
        uint64_t sum = 0;

        for (int i = 0; i < items; i++) {
            weights[i] = first + i < top_k ? ranking.weight(first + i) : 0;
            sum += weights[i];
        }
        uint64_t up_to;
        uint64_t step_sum;
        block_scan(scratch.scan).ExclusiveSum(sum, up_to, step_sum);
        up_to += before;
        for (int i = 0; i < items; i++) {
            kept += up_to < need && weights[i] >= threshold;
            up_to += weights[i];
        }
        before += step_sum;
        __syncthreads(); /* the scan's scratch is used again */
    }

    uint64_t kept_in_all = block_reduce(scratch.reduce).Sum(kept);
    if (threadIdx.x == 0) {
        size_t last = blockIdx.x * (size_t)call.stride + kept_in_all - 1;
        state.cut = rank_of(call.sorted_keys[last], call.sorted_tokens[last]);
    }
}

cudaError_t launch_filter(const call_view &call, const queue &queue)
{
    return launch("filter", filter_kernel, dim3((unsigned)call.rows), threads,
                  queue, call);
}

} // namespace tessera
