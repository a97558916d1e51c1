/*
 * least_kept.cuh - the lowest logit that min-p keeps
 */

#ifndef TESSERA_FUSED_LEAST_KEPT_CUH
#define TESSERA_FUSED_LEAST_KEPT_CUH

#include "../stages/order.cuh"
#include "../stages/weight.cuh"

namespace tessera
{

/* By one warp: the lowest logit whose weight reaches the threshold, found among
 * all keys up to the best one by 32 at a time.  Weights never fall as keys
 * rise, and that of the best reaches every threshold. */
__device__ inline float least_kept_warp(uint32_t best_key, float c, float dmin,
                                        uint64_t threshold)
{
    float m = logit_of(best_key);
    uint32_t low = key_of_lowest;
    uint32_t high = best_key;
    uint32_t lane = threadIdx.x % 32;

    while (low < high) {
        uint32_t step = (high - low) / 32 + 1;
        uint32_t key = high - low < lane * step ? high : low + lane * step;
        bool reaches =
            weight_of(__fsub_rn(logit_of(key), m), c, dmin) >= threshold;
        uint32_t all = __ballot_sync(0xffffffff, reaches);
        int first = all != 0 ? __ffs((int)all) - 1 : 32;

        if (first < 32)
            high = __shfl_sync(0xffffffff, key, first);
        if (first > 0)
            low = __shfl_sync(0xffffffff, key, first - 1) + 1;
    }
    return logit_of(high);
}

} // namespace tessera

#endif
