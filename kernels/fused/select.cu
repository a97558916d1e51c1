/*
 * select.cu - the best tokens of each part of a row, in one read of the logits
 */

#include "kernels.h"
#include "row_reader.cuh"
#include "selector.cuh"

namespace tessera
{

namespace
{

constexpr int threads = 512;

/* Tokens of a thread in a step, where only the best one is wanted, and where a
 * step ends at a barrier, with the next one's loads ahead of it. */
constexpr int best_step_tokens = 16;
constexpr int select_step_tokens = 8;

/* The part of a row that a block has. */
struct part {
    int32_t first;
    int32_t end;
};

/* The first token of a thread's load in a step that starts at 'start'. */
template <typename T>
__device__ int32_t token_at(int32_t start, int load)
{
    return start +
           (load * threads + (int32_t)threadIdx.x) * row_reader<T>::size;
}

/* The best rank that the block's threads have, valid in thread 0. */
__device__ unsigned long long best_of_block(unsigned long long best)
{
    __shared__ unsigned long long warp_best[threads / 32];

    for (int offset = 16; offset > 0; offset /= 2)
        best = max(best, __shfl_xor_sync(0xffffffff, best, offset));
    if (threadIdx.x % 32 == 0)
        warp_best[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int warp = 1; warp < threads / 32; warp++)
            best = max(best, warp_best[warp]);
    return best;
}

/* The part's best rank, valid in thread 0; 0 if no token is in. */
template <typename T>
__device__ unsigned long long best_block(const row_reader<T> &reader, part part,
                                         bool &nan)
{
    constexpr int size = row_reader<T>::size;
    constexpr int loads = best_step_tokens / size;
    unsigned long long best = 0;
    float best_x = __uint_as_float(0xff800000);

    for (int32_t start = part.first; start < part.end;
         start += threads * loads * size) {
        typename row_reader<T>::group groups[loads];
#pragma unroll
        for (int load = 0; load < loads; load++)
            reader.load(token_at<T>(start, load), part.end, groups[load]);
#pragma unroll
        for (int load = 0; load < loads; load++) {
            int32_t token = token_at<T>(start, load);
            float x[size];
            reader.values(token, groups[load], x);
            uint32_t pending = 0; /* no lower than the best, or a NaN */
#pragma unroll
            for (int i = 0; i < size; i++)
                pending |= x[i] <= best_x ? 0 : 1u << i;
            for (; pending != 0; pending &= pending - 1) {
                int place = __ffs((int)pending) - 1;
                float value = x[0];
#pragma unroll
                for (int i = 1; i < size; i++)
                    value = i == place ? x[i] : value;
                if (isnan(value)) {
                    nan = true;
                    continue;
                }
                best = max(best, rank_of(key_of(value), token + place));
                best_x = logit_of(key_of_rank(best));
            }
        }
    }
    return best_of_block(best);
}

/* Leaves the part's best k ranks in the selector. */
template <typename T>
__device__ void select_block(const row_reader<T> &reader, part part, uint32_t k,
                             selector &selector, bool &nan)
{
    constexpr int size = row_reader<T>::size;
    constexpr int loads = select_step_tokens / size;
    constexpr int step = threads * loads * size;
    typename row_reader<T>::group groups[loads];

    start_selector_block(selector);
    __syncthreads();
#pragma unroll
    for (int load = 0; load < loads; load++)
        reader.load(token_at<T>(part.first, load), part.end, groups[load]);
#pragma unroll 1
    for (int32_t start = part.first; start < part.end; start += step) {
        float x[loads][size];
        uint32_t pending = 0; /* tokens that are worth a look */
        float least = worth_a_look(selector);
#pragma unroll
        for (int load = 0; load < loads; load++) {
            reader.values(token_at<T>(start, load), groups[load], x[load]);
            reader.load(token_at<T>(start + step, load), part.end,
                        groups[load]);
#pragma unroll
            for (int i = 0; i < size; i++)
                if (!(x[load][i] < least))
                    pending |= 1u << (load * size + i);
        }

#pragma unroll 1
        for (;;) {
            bool full = false;
            while (pending != 0 && !full) {
                int place = __ffs((int)pending) - 1;
                float value = x[0][0];
#pragma unroll
                for (int i = 1; i < loads * size; i++)
                    value = i == place ? x[i / size][i % size] : value;
                int32_t token = token_at<T>(start, place / size) + place % size;
                unsigned long long rank = rank_of(key_of(value), token);
                if (isnan(value))
                    nan = true;
                else if (rank >= selector.threshold)
                    full = !append_thread(selector, rank);
                if (!full)
                    pending &= pending - 1;
            }
            /* Nobody looks at the threshold again before all have voted. */
            if (!__syncthreads_or(full))
                break;
            keep_best_block<threads>(selector, k);
        }
    }
    keep_best_block<threads>(selector, k);
}

} // namespace

/*
 * select_kernel finds the best tokens of a part of a row, as many as the row
 * asks for, and whether there is a NaN.
 *
 *   Launch     a block a part of a row, 512 threads, two blocks an SM: one
 *              keeps its best while the other's loads are in flight
 *   Thread     8 tokens a step in loads of 16 bytes, a warp's side by side,
 *              with those of the next step on their way; 16 where only the
 *              best token is wanted
 *   Reads      the part's logits once, but for groups that mask or edits take
 *              out whole; the mask; in a row with edits a bit a token, and the
 *              slots of the edited tokens
 *   Writes     the ranks found, and their number
 *   Shared     the selector, 33 KiB; a value a warp
 *   Barriers   a row that wants its best token alone: 1.  Others: 1 a step,
 *              behind which a full buffer is seen; 5 to 21 each time that it
 *              is, for 2 to 7 digits, and at the end
 *
 * Blocks of a row meet in an or.
 */
template <typename T, view View>
__global__ void __launch_bounds__(threads, 2) select_kernel(fused_view fused)
{
    __shared__ selector selector;

    fused_row &row = fused.rows[blockIdx.y];
    if (!row.state.valid)
        return;

    row_reader<T> reader(fused, row, blockIdx.y, View);
    part part;
    part.first = (int32_t)blockIdx.x * fused.select_part_tokens;
    part.end = min(part.first + fused.select_part_tokens, fused.call.vocab);
    uint32_t k =
        View == view::raw ? max(fused.raw_list_length, 1u) : row.select;
    size_t list = blockIdx.y * (size_t)fused.select_parts + blockIdx.x;
    unsigned long long *ranks = fused.lists + list * most_selected;
    bool nan = false;

    if (k == 1) {
        unsigned long long best = best_block(reader, part, nan);
        if (threadIdx.x == 0) {
            ranks[0] = best;
            fused.list_counts[list] = best != 0;
        }
    } else {
        select_block(reader, part, k, selector, nan);
        for (uint32_t i = threadIdx.x; i < selector.count; i += threads)
            ranks[i] = selector.ranks[i];
        if (threadIdx.x == 0)
            fused.list_counts[list] = selector.count;
    }
    if (View == view::processed && nan)
        atomicOr(&row.state.nan, 1u);
}

template <view View>
static cudaError_t launch_typed(const char *name, const fused_view &fused,
                                const queue &queue)
{
    dim3 blocks((unsigned)fused.select_parts, (unsigned)fused.call.rows);

    switch (fused.call.batch.logits_type) {
    case TESSERA_FLOAT16:
        return launch(name, select_kernel<__half, View>, blocks, threads, queue,
                      fused);
    case TESSERA_BFLOAT16:
        return launch(name, select_kernel<__nv_bfloat16, View>, blocks, threads,
                      queue, fused);
    default:
        return launch(name, select_kernel<float, View>, blocks, threads, queue,
                      fused);
    }
}

cudaError_t launch_select(const fused_view &fused, view view,
                          const queue &queue)
{
    return view == view::raw
               ? launch_typed<view::raw>("select_raw", fused, queue)
               : launch_typed<view::processed>("select", fused, queue);
}

} // namespace tessera
