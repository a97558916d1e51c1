/*
 * loops.c - the loops over logits, for the compiler to vectorise
 *
 * Compiled once for each instruction set, which TESSERA_CPU_TABLE and
 * TESSERA_CPU_NAME name (CMakeLists.txt).  Nothing outside may call into here
 * but through the table.
 */

#include "fma.h"

#include "loops.h"

#if defined(__AVX512F__)
#include "loops_avx512.h"
#elif defined(__AVX2__)
#include "loops_avx2.h"
#else
#include "loops_plain.h"
#endif

#include <float.h>

static void widen_bfloat16(const uint16_t *restrict from, float *restrict to)
{
    for (size_t i = 0; i < BLOCK_TOKENS; i++) {
        uint32_t bits = (uint32_t)from[i] << 16;
        memcpy(&to[i], &bits, sizeof(bits));
    }
}

static void settle(const float *from, float *to)
{
    float x[BLOCK_TOKENS];

    memcpy(x, from, sizeof(x));
    for (size_t i = 0; i < BLOCK_TOKENS; i++) {
        float large = x[i] > FLT_MAX ? FLT_MAX : x[i];
        x[i] = large >= -INFINITY ? large : -INFINITY; /* not a NaN */
    }
    memcpy(to, x, sizeof(x));
}

/* Integers in the order of floats, and back. */
static int32_t key_of(float x)
{
    int32_t bits = (int32_t)tessera_bits_of(x);

    return bits ^ (bits >> 31 & 0x7fffffff);
}

static float float_of(int32_t key)
{
    int32_t bits = key ^ (key >> 31 & 0x7fffffff);
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Weights never rise as x falls, so the floats can be halved. */
static float lightest(const struct weighing *weighing, uint64_t weight)
{
    int32_t low = key_of(-INFINITY); /* too light */
    int32_t high = key_of(weighing->m);

    while ((int64_t)high - low > 1) {
        int32_t middle = (int32_t)(((int64_t)low + high) >> 1);

        if (tessera_weight_of(float_of(middle) - weighing->m,
                              weighing->scale) >= weight)
            high = middle;
        else
            low = middle;
    }
    return float_of(high);
}

const struct cpu_loops TESSERA_CPU_TABLE = {
    .name = TESSERA_CPU_NAME,
    .widen_float16 = widen_float16,
    .widen_bfloat16 = widen_bfloat16,
    .mask = mask_block,
    .settle = settle,
    .peaks = peaks,
    .weigh_above = weigh_above,
    .weigh = weigh,
    .weights = weights,
    .collect = collect,
    .count = count,
    .lightest = lightest,
};
