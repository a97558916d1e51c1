/*
 * bench_floor.c - what no sampler on this machine can be faster than
 */

#include "bench_floor.h"

#include <string.h>

/* Enough for four of the widest vectors: a maximum waits for the one before
 * it, and four can be under way. */
#define LANES 64

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

ALWAYS_INLINE float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Exact for finite numbers. */
ALWAYS_INLINE float widen(const void *logits, enum tessera_dtype dtype,
                          size_t token)
{
    if (dtype == TESSERA_FLOAT32)
        return ((const float *)logits)[token];
    uint32_t half = (uint32_t)((const int16_t *)logits)[token];
    if (dtype == TESSERA_BFLOAT16)
        return float_of(half << 16);
    return float_of(half << 13 & 0x8fffe000) * 0x1p112f;
}

ALWAYS_INLINE float maximum(const float *x, size_t count)
{
    float best[LANES];
    size_t i = 0;

    for (size_t lane = 0; lane < LANES; lane++)
        best[lane] = x[0];
    for (; i + LANES <= count; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            best[lane] = x[i + lane] > best[lane] ? x[i + lane] : best[lane];
    for (; i < count; i++)
        best[0] = x[i] > best[0] ? x[i] : best[0];
    for (size_t lane = 1; lane < LANES; lane++)
        best[0] = best[lane] > best[0] ? best[lane] : best[0];
    return best[0];
}

/* The greatest of these integers, each with its sign turned over or not. */
ALWAYS_INLINE int16_t maximum_key(const int16_t *x, size_t count, int16_t turn)
{
    enum { HALVES = 2 * LANES };
    int16_t best[HALVES];
    size_t i = 0;

    for (size_t lane = 0; lane < HALVES; lane++)
        best[lane] = INT16_MIN;
    for (; i + HALVES <= count; i += HALVES)
        for (size_t lane = 0; lane < HALVES; lane++) {
            int16_t key = x[i + lane] ^ turn;
            best[lane] = key > best[lane] ? key : best[lane];
        }
    for (; i < count; i++) {
        int16_t key = x[i] ^ turn;
        best[0] = key > best[0] ? key : best[0];
    }
    for (size_t lane = 1; lane < HALVES; lane++)
        best[0] = best[lane] > best[0] ? best[lane] : best[0];
    return best[0] ^ turn;
}

/* Both 16-bit types, as integers: they are in order where one is positive, and
 * in reverse where all are negative. */
ALWAYS_INLINE uint16_t maximum_bits(const int16_t *bits, size_t count)
{
    int16_t best = maximum_key(bits, count, 0);

    return (uint16_t)(best >= 0 ? best : maximum_key(bits, count, -1));
}

/* Of section 5 of the contract, with c of temperature 1: the significand of a
 * weight, and the places that it is shifted from 2^54 on. */
ALWAYS_INLINE uint32_t weigh(float d, uint32_t *places)
{
    const float c = 0x1.715476p+0f;
    const float dmin = -48.0f / c;

    /* Neither is above 0, where the greater number has the lesser bits. */
    uint32_t bits = bits_of(d);
    d = float_of(bits < bits_of(dmin) ? bits : bits_of(dmin));
    float z = __builtin_fmaf(d, c, 12582912.0f);
    float s = 12582924.0f - z;
    float g = __builtin_fmaf(d, c, s);
    float f = g - 12.0f;
    float r = 0x1.5bfd58p-10f;
    r = __builtin_fmaf(r, f, 0x1.3ceaf8p-7f);
    r = __builtin_fmaf(r, f, 0x1.c6b61ap-5f);
    r = __builtin_fmaf(r, f, 0x1.ebf996p-3f);
    r = __builtin_fmaf(r, f, 0x1.62e428p-1f);
    float h = __builtin_fmaf(r, f, 3.0f);
    *places = 0x4B400000 + 14 - bits_of(z);
    return bits_of(h) - 0x40000000;
}

/* Two tokens share a word, so that nothing is widened: one is shifted out of
 * its upper half, and then the other. */
ALWAYS_INLINE uint64_t sum_pairs(const uint32_t *significands,
                                 const uint32_t *places)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < LANES; i += 2) {
        uint64_t s, p;

        memcpy(&s, significands + i, sizeof(s));
        memcpy(&p, places + i, sizeof(p));
        sum += s << 32 >> (p & 0xffffffff);
        sum += (s & ~UINT64_C(0xffffffff)) >> (p >> 32);
    }
    return sum;
}

ALWAYS_INLINE uint64_t weight_sum(const void *logits, enum tessera_dtype dtype,
                                  size_t count, float best)
{
    uint32_t significands[LANES];
    uint32_t places[LANES];
    uint64_t sum = 0;
    size_t i = 0;

    for (; i + LANES <= count; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++)
            significands[lane] =
                weigh(widen(logits, dtype, i + lane) - best, &places[lane]);
        sum += sum_pairs(significands, places);
    }
    for (; i < count; i++) {
        uint64_t significand =
            weigh(widen(logits, dtype, i) - best, &places[0]);
        sum += significand << 32 >> places[0];
    }
    return sum;
}

ALWAYS_INLINE uint64_t pass_of(const void *logits, enum tessera_dtype dtype,
                               size_t count, bool weights)
{
    float best;

    if (dtype == TESSERA_FLOAT32) {
        best = maximum(logits, count);
    } else {
        uint16_t bits = maximum_bits(logits, count);
        best = widen(&bits, dtype, 0);
    }
    return weights ? weight_sum(logits, dtype, count, best) : bits_of(best);
}

/* Calls with constant types, so that no loop decides on one. */
ALWAYS_INLINE uint64_t pass(const void *logits, enum tessera_dtype dtype,
                            size_t count, bool weights)
{
    switch (dtype) {
    case TESSERA_FLOAT32:
        return pass_of(logits, TESSERA_FLOAT32, count, weights);
    case TESSERA_FLOAT16:
        return pass_of(logits, TESSERA_FLOAT16, count, weights);
    default:
        return pass_of(logits, TESSERA_BFLOAT16, count, weights);
    }
}

#if defined(__x86_64__)

/* By features and not by "arch=", which gcc does not inline across. */
__attribute__((
    target("avx512f,avx512bw,avx512dq,avx512vl,fma"))) static uint64_t
pass_avx512(const void *logits, enum tessera_dtype dtype, size_t count,
            bool weights)
{
    return pass(logits, dtype, count, weights);
}

__attribute__((target("avx2,fma"))) static uint64_t
pass_avx2(const void *logits, enum tessera_dtype dtype, size_t count,
          bool weights)
{
    return pass(logits, dtype, count, weights);
}

#define HAS(feature) __builtin_cpu_supports(feature)

static bool has_avx512(void)
{
    return HAS("avx512f") && HAS("avx512bw") && HAS("avx512dq") &&
           HAS("avx512vl") && HAS("fma");
}

static bool has_avx2(void)
{
    return HAS("avx2") && HAS("fma");
}

#else

static bool has_avx512(void)
{
    return false;
}

static bool has_avx2(void)
{
    return false;
}

#define pass_avx512 pass
#define pass_avx2 pass

#endif

const char *floor_instructions(void)
{
    return has_avx512() ? "avx512" : has_avx2() ? "avx2" : "baseline";
}

uint64_t floor_pass(const void *logits, enum tessera_dtype dtype, size_t count,
                    bool weights)
{
    if (has_avx512())
        return pass_avx512(logits, dtype, count, weights);
    if (has_avx2())
        return pass_avx2(logits, dtype, count, weights);
    return pass(logits, dtype, count, weights);
}
