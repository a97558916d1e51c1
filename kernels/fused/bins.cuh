/*
 * bins.cuh - a histogram of a row by distance from its best token
 *
 * Bin 0 holds the best tokens; the last bin holds all from some distance on.
 * A token's bin is a monotone function of its logit (of operations none of
 * which reorders), so bins part the order exactly.
 */

#ifndef TESSERA_FUSED_BINS_CUH
#define TESSERA_FUSED_BINS_CUH

#include "../stages/order.cuh"
#include "../stages/weight.cuh"
#include "kernels.h"

#include <cfloat>

namespace tessera
{

/* Weights are two 32-bit limbs: a 64-bit atomic add in shared memory is a loop
 * of compare-and-swap. */
struct bins {
    uint32_t counts[most_bins];
    uint32_t low[most_bins];
    uint32_t high[most_bins];
};

/* Call from every thread of the block, before a barrier. */
template <int Threads>
__device__ void clear_bins_block(bins &bins)
{
    for (int bin = (int)threadIdx.x; bin < most_bins; bin += Threads) {
        bins.counts[bin] = 0;
        bins.low[bin] = 0;
        bins.high[bin] = 0;
    }
}

__device__ inline void add_to_bin_thread(bins &bins, uint32_t bin,
                                         uint64_t weight)
{
    uint32_t low = (uint32_t)weight;
    uint32_t high = (uint32_t)(weight >> 32);

    atomicAdd(&bins.counts[bin], 1u);
    if (low != 0) {
        uint32_t before = atomicAdd(&bins.low[bin], low);
        high += before + low < before;
    }
    if (high != 0)
        atomicAdd(&bins.high[bin], high);
}

__device__ inline uint64_t weight_of_bin(const bins &bins, uint32_t bin)
{
    return (uint64_t)bins.high[bin] << 32 | bins.low[bin];
}

/*
 * What makes a distance a bin: the near scale for as long as it gives the lower
 * bin, then the far one, from half of the bins on.
 *
 * The near one is as fine as suits a row without peaks, whose density falls
 * off: its last bin would start where weights end, 41 octaves down, or at eight
 * times the distance between the first and the last ranked token, if that is
 * nearer.  The far one reaches as far as weights, or 256 times that distance:
 * so far does a row reach whose tokens are spread evenly.
 */
__device__ inline bin_scales bin_scales_of(float c, float ranked_distance)
{
    float reach = __fdiv_rn(41.0f, c);
    float near = reach;
    float far = reach;

    if (ranked_distance > 0.0f) {
        near = fminf(near, __fmul_rn(8.0f, ranked_distance));
        far = fminf(far, __fmul_rn(256.0f, ranked_distance));
    }
    return {fminf(__fdiv_rn((float)(most_bins - 1), near), FLT_MAX),
            fminf(__fdiv_rn((float)(most_bins / 2 - 1), far), FLT_MAX)};
}

/* distance = x - m, not above 0. */
__device__ inline uint32_t bin_of(float distance, bin_scales scales)
{
    float near = __fmul_rn(-distance, scales.near);
    float far = __fmaf_rn(-distance, scales.far, (float)(most_bins / 2));
    return (uint32_t)fminf(fminf(near, far), (float)(most_bins - 1));
}

/* What weighs a row's tokens, and finds their bins. */
struct weigher {
    float m;
    float c;
    float dmin;
    bin_scales scales;
    uint64_t threshold;

    __device__ explicit weigher(const fused_row &row)
        : m(logit_of(key_of_rank(row.state.best))), c(row.state.c),
          dmin(row.state.dmin), scales(row.scales),
          threshold(row.state.threshold)
    {
    }

    __device__ uint64_t weight(float x) const
    {
        return weight_of(__fsub_rn(x, m), c, dmin);
    }
};

} // namespace tessera

#endif
