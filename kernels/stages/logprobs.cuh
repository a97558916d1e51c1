/*
 * logprobs.cuh - natural log-probabilities, to the bit
 *
 * Same contract as host/stages/logprobs.c, which wins where the two differ.
 * Binary64 division is slow on some chips: these run once a row, or once an
 * entry of a list of top tokens.
 */

#ifndef TESSERA_STAGES_LOGPROBS_CUH
#define TESSERA_STAGES_LOGPROBS_CUH

#include <cstdint>

namespace tessera
{

/* ln(sum / 2^40), for a sum of at least 1. */
__device__ inline double log_sum(uint64_t sum)
{
    int e = 63 - __clzll((long long)sum);
    /* 2^-e by its bits; e is at most 62. */
    double scale = __longlong_as_double((long long)(1023 - e) << 52);
    double f = __dmul_rn(__ull2double_rn(sum), scale);
    if (f > 0x1.6a09e667f3bcdp+0) {
        f = __dmul_rn(f, 0.5);
        e = e + 1;
    }
    double s = __ddiv_rn(__dsub_rn(f, 1.0), __dadd_rn(f, 1.0));
    double z = __dmul_rn(s, s);
    double r = 1.0 / 13;
    r = __fma_rn(r, z, 1.0 / 11);
    r = __fma_rn(r, z, 1.0 / 9);
    r = __fma_rn(r, z, 1.0 / 7);
    r = __fma_rn(r, z, 1.0 / 5);
    r = __fma_rn(r, z, 1.0 / 3);
    r = __fma_rn(r, z, 1.0);
    return __fma_rn(__int2double_rn(e - 40), 0x1.62e42fefa39efp-1,
                    __dmul_rn(__dmul_rn(2.0, s), r));
}

__device__ inline float logprob_of(float x, float m, float temperature,
                                   double log_of_sum)
{
    double distance = static_cast<double>(__fsub_rn(x, m));
    return __double2float_rn(__dsub_rn(
        __ddiv_rn(distance, static_cast<double>(temperature)), log_of_sum));
}

} // namespace tessera

#endif
