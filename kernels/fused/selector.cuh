/*
 * selector.cuh - the best of a stream of ranks, by a rising threshold
 *
 * Ranks are appended to a buffer in shared memory as long as they reach a
 * threshold, which starts below all.  When the buffer is full the block keeps
 * the best k of it, found digit by digit, and the threshold rises to where the
 * k-th of them stands: what is below can't be among the best k of all.  Ranks
 * hold the token's id, so no two are equal and which k remain is exact.
 *
 * Of n ranks in random order about k * (1 + ln(n / k)) are ever appended; of
 * ascending ones all are.
 */

#ifndef TESSERA_FUSED_SELECTOR_CUH
#define TESSERA_FUSED_SELECTOR_CUH

#include "../stages/order.cuh"

namespace tessera
{

/* Ranks in the buffer: 32 KiB. */
constexpr uint32_t selector_capacity = 4096;

struct selector {
    unsigned long long ranks[selector_capacity];
    unsigned long long threshold; /* what is below need not be appended */
    uint32_t count; /* of ranks; past the capacity, of those that had no room */
    uint32_t histogram[256];
    uint32_t digit;
    uint32_t wanted; /* how many are still to be found from the digit on */
    uint32_t found;  /* how many have the digit */
};

/* Call from every thread of the block, before a barrier. */
__device__ inline void start_selector_block(selector &selector)
{
    if (threadIdx.x == 0) {
        selector.count = 0;
        selector.threshold = 0;
    }
}

/* False: there was no room, and the rank is still to be appended. */
__device__ inline bool append_thread(selector &selector,
                                     unsigned long long rank)
{
    uint32_t place = atomicAdd(&selector.count, 1u);

    if (place >= selector_capacity)
        return false;
    selector.ranks[place] = rank;
    return true;
}

/* The logit that a token must reach to be worth a look: compare with
 * !(x < it), so that a NaN is looked at too. */
__device__ inline float worth_a_look(const selector &selector)
{
    uint32_t key = key_of_rank(selector.threshold);
    return logit_of(max(key, key_of_lowest));
}

/* By one warp: in the histogram, from the highest digit down, finds the digit
 * of the rank that 'wanted' counts to. */
__device__ inline void find_digit_warp(selector &selector, uint32_t wanted)
{
    constexpr int digits = 256 / 32; /* of a lane, from its highest down */
    uint32_t lane = threadIdx.x % 32;
    uint32_t top = 255 - lane * digits;
    uint32_t counts[digits];
    uint32_t sum = 0;

#pragma unroll
    for (int i = 0; i < digits; i++) {
        counts[i] = selector.histogram[top - i];
        sum += counts[i];
    }
    uint32_t up_to = sum;
    for (int offset = 1; offset < 32; offset *= 2) {
        uint32_t from = __shfl_up_sync(0xffffffff, up_to, offset);
        if (lane >= (uint32_t)offset)
            up_to += from;
    }
    uint32_t before = up_to - sum;
#pragma unroll
    for (int i = 0; i < digits; i++) {
        if (before < wanted && wanted <= before + counts[i]) {
            selector.digit = top - i;
            selector.wanted = wanted - before;
            selector.found = counts[i];
        }
        before += counts[i];
    }
}

/*
 * keep_best_block() keeps the best k ranks of the buffer, or all if there are
 * no more than k, and raises the threshold to the k-th.
 *
 * Call from every thread of the block, behind a barrier.  Ends with one.
 */
template <int Threads>
__device__ void keep_best_block(selector &selector, uint32_t k)
{
    uint32_t count = min(selector.count, selector_capacity);

    __syncthreads(); /* all have the count */
    if (count <= k) {
        if (threadIdx.x == 0)
            selector.count = count;
        __syncthreads();
        return;
    }

    unsigned long long prefix = 0; /* the digits of the k-th so far */
    uint32_t wanted = k;
    int shift = 56;
    for (;; shift -= 8) {
        for (uint32_t i = threadIdx.x; i < 256; i += Threads)
            selector.histogram[i] = 0;
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < count; i += Threads) {
            unsigned long long rank = selector.ranks[i];
            /* Two shifts, as one by 64 is none. */
            if (rank >> shift >> 8 == prefix)
                atomicAdd(&selector.histogram[rank >> shift & 255], 1u);
        }
        __syncthreads();
        if (threadIdx.x < 32)
            find_digit_warp(selector, wanted);
        __syncthreads();
        prefix = prefix << 8 | selector.digit;
        wanted = selector.wanted;
        if (wanted == selector.found || shift == 0)
            break;
        if (shift == 32) {
            /* Bits 24 to 31 of a rank are 1, as no id reaches 2^24. */
            prefix = prefix << 8 | 255;
            shift -= 8;
        }
    }
    prefix <<= shift;
    if (threadIdx.x == 0) {
        selector.threshold = prefix;
        selector.count = 0;
    }
    /* Those that stay move to the front, as many places at a time as there are
     * threads: what is written was read before the barrier. */
    for (uint32_t start = 0; start < count; start += Threads) {
        uint32_t i = start + threadIdx.x;
        unsigned long long rank = i < count ? selector.ranks[i] : 0;
        __syncthreads();
        if (i < count && rank >= prefix)
            selector.ranks[atomicAdd(&selector.count, 1u)] = rank;
    }
    __syncthreads();
}

} // namespace tessera

#endif
