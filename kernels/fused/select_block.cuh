/*
 * select_block.cuh - a block's pass over its part of a row for the best tokens
 */

#ifndef TESSERA_FUSED_SELECT_BLOCK_CUH
#define TESSERA_FUSED_SELECT_BLOCK_CUH

#include "row_reader.cuh"
#include "selector.cuh"

namespace tessera
{

/* Tokens of a thread in a step, where only the best one is wanted, and where a
 * step ends at a barrier, with the next one's loads ahead of it. */
constexpr int best_step_tokens = 16;
constexpr int select_step_tokens = 8;

/* The part of a row that a block has, from a multiple of a load's tokens on. */
struct part {
    int32_t first;
    int32_t end;
};

/* For those who want no values but the best. */
struct keep_nothing {
    template <typename Values>
    __device__ void operator()(int32_t, const Values &) const
    {
    }
};

/* The first token of a thread's load in a step that starts at 'start'. */
template <int Threads, typename T>
__device__ int32_t token_at(int32_t start, int load)
{
    return start +
           (load * Threads + (int32_t)threadIdx.x) * row_reader<T>::size;
}

/* The best rank that the block's threads have, valid in thread 0. */
template <int Threads>
__device__ unsigned long long best_of_block(unsigned long long best)
{
    __shared__ unsigned long long warp_best[Threads / 32];

    for (int offset = 16; offset > 0; offset /= 2)
        best = max(best, __shfl_xor_sync(0xffffffff, best, offset));
    if (threadIdx.x % 32 == 0)
        warp_best[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int warp = 1; warp < Threads / 32; warp++)
            best = max(best, warp_best[warp]);
    return best;
}

/* The part's best rank, valid in thread 0; 0 if no token is in.  Keep is
 * called with every load's first token and its values. */
template <int Threads, typename T, typename Keep>
__device__ unsigned long long best_block(const row_reader<T> &reader, part part,
                                         bool &nan, Keep keep)
{
    constexpr int size = row_reader<T>::size;
    constexpr int loads = best_step_tokens / size;
    unsigned long long best = 0;
    float best_x = minus_infinity();

    for (int32_t start = part.first; start < part.end;
         start += Threads * loads * size) {
        typename row_reader<T>::group groups[loads];
#pragma unroll
        for (int load = 0; load < loads; load++)
            reader.load(token_at<Threads, T>(start, load), part.end,
                        groups[load]);
#pragma unroll
        for (int load = 0; load < loads; load++) {
            int32_t token = token_at<Threads, T>(start, load);
            float x[size];
            reader.values(token, groups[load], x);
            keep(token, x);
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
    return best_of_block<Threads>(best);
}

/* Leaves the part's best k ranks in the selector.  Keep is called with every
 * load's first token and its values.  Ends with a barrier. */
template <int Threads, typename T, typename Keep>
__device__ void select_block(const row_reader<T> &reader, part part, uint32_t k,
                             selector &selector, bool &nan, Keep keep)
{
    constexpr int size = row_reader<T>::size;
    constexpr int loads = select_step_tokens / size;
    constexpr int step = Threads * loads * size;
    typename row_reader<T>::group groups[loads];

    start_selector_block(selector);
    __syncthreads();
#pragma unroll
    for (int load = 0; load < loads; load++)
        reader.load(token_at<Threads, T>(part.first, load), part.end,
                    groups[load]);
#pragma unroll 1
    for (int32_t start = part.first; start < part.end; start += step) {
        float x[loads][size];
        uint32_t pending = 0; /* tokens that are worth a look */
        float least = worth_a_look(selector);
#pragma unroll
        for (int load = 0; load < loads; load++) {
            int32_t token = token_at<Threads, T>(start, load);
            reader.values(token, groups[load], x[load]);
            keep(token, x[load]);
            reader.load(token_at<Threads, T>(start + step, load), part.end,
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
                int32_t token =
                    token_at<Threads, T>(start, place / size) + place % size;
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
            keep_best_block<Threads>(selector, k);
        }
    }
    keep_best_block<Threads>(selector, k);
}

} // namespace tessera

#endif
