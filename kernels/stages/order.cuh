/*
 * order.cuh - the order of tokens as integers
 *
 * Same contract as host/stages/order.c, which wins where the two differ.
 *
 * A key holds the bits of x so that unsigned order is the order of values.  A
 * rank puts the token behind its key, inverted, so that one 64-bit comparison
 * gives the contract's total order, best first when descending.
 */

#ifndef TESSERA_STAGES_ORDER_CUH
#define TESSERA_STAGES_ORDER_CUH

#include <cfloat>
#include <cstdint>

namespace tessera
{

/* -inf, which is no constant of the language. */
__device__ inline float minus_infinity()
{
    return __uint_as_float(0xff800000);
}

/* Keys of tokens that are out: -inf's own is 0x007fffff; this is the least. */
constexpr uint32_t key_out = 0;

/* The key of -FLT_MAX, the lowest of a token that is in. */
constexpr uint32_t key_of_lowest = 0x00800000;

/* x is not a NaN. */
__device__ inline uint32_t key_of(float x)
{
    if (x > FLT_MAX)
        x = FLT_MAX;
    if (x == 0.0f)
        x = 0.0f; /* -0 becomes +0 */
    uint32_t bits = __float_as_uint(x);
    return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

__device__ inline float logit_of(uint32_t key)
{
    return __uint_as_float(key & 0x80000000 ? key & 0x7fffffff : ~key);
}

__device__ inline bool is_in(uint32_t key)
{
    return key >= key_of_lowest;
}

__device__ inline unsigned long long rank_of(uint32_t key, int32_t token)
{
    return (unsigned long long)key << 32 | ~(uint32_t)token;
}

__device__ inline uint32_t key_of_rank(unsigned long long rank)
{
    return (uint32_t)(rank >> 32);
}

__device__ inline int32_t token_of_rank(unsigned long long rank)
{
    return (int32_t) ~(uint32_t)rank;
}

} // namespace tessera

#endif
