/*
 * weight.cuh - the weight of a token, a 64-bit integer
 *
 * Same contract as host/stages/weight.c, which wins where the two differ; it
 * says what the constants are.
 */

#ifndef TESSERA_STAGES_WEIGHT_CUH
#define TESSERA_STAGES_WEIGHT_CUH

#include <cstdint>

namespace tessera
{

constexpr uint64_t weight_one = 1ull << 40;

/* x - m = distance from the best, at the scale c.  The maximum is the
 * contract's "if (!(d > dmin)) d = dmin", since d is never a NaN. */
__device__ inline uint64_t weight_of(float distance, float c, float dmin)
{
    float d = fmaxf(distance, dmin);
    float z = __fmaf_rn(d, c, 12582912.0f);
    float s = __fsub_rn(12582924.0f, z);
    float g = __fmaf_rn(d, c, s);
    float f = __fsub_rn(g, 12.0f);
    float r = 0x1.5bfd58p-10f;
    r = __fmaf_rn(r, f, 0x1.3ceaf8p-7f);
    r = __fmaf_rn(r, f, 0x1.c6b61ap-5f);
    r = __fmaf_rn(r, f, 0x1.ebf996p-3f);
    r = __fmaf_rn(r, f, 0x1.62e428p-1f);
    float h = __fmaf_rn(r, f, 3.0f);
    return (uint64_t)(__float_as_uint(h) - 0x40000000) << 18 >>
           (0x4B400000 - __float_as_uint(z));
}

} // namespace tessera

#endif
