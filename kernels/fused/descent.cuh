/*
 * descent.cuh - where in a row's order a count or a weight is reached
 *
 * A histogram says in which bin the goal lies; the bin is a range of places,
 * which can be divided into bins in turn.
 */

#ifndef TESSERA_FUSED_DESCENT_CUH
#define TESSERA_FUSED_DESCENT_CUH

#include "../stages/order.cuh"
#include "bins.cuh"

#include <cub/block/block_scan.cuh>

namespace tessera
{

/* A token's place in the order as an integer without gaps between keys: a rank
 * with the bits that every id leaves 1 taken out.  Descending, as ranks. */
constexpr int id_bits = 22;
static_assert(TESSERA_MAX_VOCAB <= 1 << id_bits, "ids fit their bits");

__device__ inline uint64_t place_of(unsigned long long rank)
{
    constexpr uint32_t ids = (1u << id_bits) - 1;
    return (uint64_t)key_of_rank(rank) << id_bits | ((uint32_t)rank & ids);
}

/* What a goal is counted in. */
enum class measure { tokens, weight };

constexpr uint32_t most_collected = 2048;

/* Shared memory of a descent. */
template <int Threads>
struct descent {
    using block_scan =
        cub::BlockScan<uint64_t, Threads, cub::BLOCK_SCAN_WARP_SCANS>;

    bins bins;
    unsigned long long collected[most_collected]; /* ranks */
    typename block_scan::TempStorage scan;
    typename block_scan::TempStorage other_scan;

    /* Places of the tokens among which the goal lies, both ends included, and
     * what stands ahead of them. */
    uint64_t first;
    uint64_t last;
    uint64_t weight_ahead;
    uint32_t tokens_ahead;
    uint32_t tokens; /* in the range */
    uint64_t weight; /* of the range */
    uint32_t bin;    /* the one that was found */
    uint32_t collected_count;
    unsigned long long cut; /* rank of the token that reaches the goal */

    /* Of the tokens that are kept. */
    unsigned long long kept_weight;
    uint32_t kept;
};

/*
 * find_bin_block() finds the first bin, of those that the histogram has, with
 * which the goal is reached, and counts what stands in the bins before it as
 * ahead.  Together the bins reach the goal.
 *
 * Call from every thread of the block, behind a barrier.  Ends with one.
 */
template <int Threads>
__device__ void find_bin_block(descent<Threads> &descent, measure measure,
                               uint64_t goal)
{
    constexpr int items = most_bins / Threads;
    uint64_t tokens = 0;
    uint64_t weight = 0;

    for (int i = 0; i < items; i++) {
        tokens += descent.bins.counts[threadIdx.x * items + i];
        weight += weight_of_bin(descent.bins, threadIdx.x * items + i);
    }
    uint64_t tokens_before;
    uint64_t weight_before;
    using block_scan = typename tessera::descent<Threads>::block_scan;
    block_scan(descent.scan).ExclusiveSum(tokens, tokens_before);
    block_scan(descent.other_scan).ExclusiveSum(weight, weight_before);
    tokens_before += descent.tokens_ahead;
    weight_before += descent.weight_ahead;
    __syncthreads(); /* all have read what stood ahead */

    bool by_weight = measure == measure::weight;
    for (int i = 0; i < items; i++) {
        uint32_t bin = threadIdx.x * items + i;
        tokens = descent.bins.counts[bin];
        weight = weight_of_bin(descent.bins, bin);
        uint64_t before = by_weight ? weight_before : tokens_before;
        uint64_t value = by_weight ? weight : tokens;
        if (before < goal && goal <= before + value) {
            descent.bin = bin;
            descent.tokens = (uint32_t)tokens;
            descent.weight = weight;
            descent.tokens_ahead = (uint32_t)tokens_before;
            descent.weight_ahead = weight_before;
        }
        tokens_before += tokens;
        weight_before += weight;
    }
    __syncthreads();
}

/* The places of the bin of distances that was found.  Its ends are searched
 * for among all keys that a token can have, by two threads.  Call from every
 * thread of the block, behind a barrier.  Ends with one. */
template <int Threads>
__device__ void enter_distance_bin_block(descent<Threads> &descent,
                                         const weigher &weigher)
{
    uint32_t top = key_of(weigher.m);
    auto bin_of_key = [&](uint32_t key) {
        return bin_of(__fsub_rn(logit_of(key), weigher.m), weigher.scales);
    };

    if (threadIdx.x < 2) {
        bool first = threadIdx.x == 0;
        /* The highest key whose bin is no earlier (the range's first place), or
         * the lowest whose bin is no later (its last). */
        uint32_t low = key_of_lowest;
        uint32_t high = top;
        while (low < high) {
            uint32_t middle = low + (high - low + (first ? 1 : 0)) / 2;
            uint32_t bin = bin_of_key(middle);
            if (first) {
                if (bin >= descent.bin)
                    low = middle;
                else
                    high = middle - 1;
            } else {
                if (bin <= descent.bin)
                    high = middle;
                else
                    low = middle + 1;
            }
        }
        if (first)
            descent.first = place_of(rank_of(low, 0));
        else
            descent.last = place_of(rank_of(low, TESSERA_MAX_VOCAB - 1));
    }
    __syncthreads();
}

/* Bits to shift the distance of two places by, so that it is a bin. */
template <int Threads>
__device__ int bin_shift(const descent<Threads> &descent)
{
    uint64_t size = descent.first - descent.last;
    int bits = 64 - __clzll((long long)size);
    constexpr int bits_of_bin = 11;
    static_assert(1 << bits_of_bin == most_bins, "a bin's bits");
    return max(bits - bits_of_bin, 0);
}

/* The places of the bin of places that was found. */
template <int Threads>
__device__ void enter_place_bin_block(descent<Threads> &descent, int shift)
{
    if (threadIdx.x == 0) {
        descent.first -= (uint64_t)descent.bin << shift;
        uint64_t size = (1ull << shift) - 1;
        if (descent.first - descent.last > size)
            descent.last = descent.first - size;
    }
    __syncthreads();
}

} // namespace tessera

#endif
