/*
 * loops.c - the loops over logits, for the compiler to vectorise
 *
 * Compiled once for each instruction set, which TESSERA_CPU_TABLE and
 * TESSERA_CPU_NAME name (CMakeLists.txt).  Nothing outside may call into here
 * but through the table.
 */

#include "fma.h"

#include "loops.h"

#include <float.h>

/* A chain of maxima waits for each step; this many chains, of the widest
 * vectors four, are under way at once. */
enum { LANES = 64 };

static void widen_bfloat16(const uint16_t *restrict from, float *restrict to)
{
    for (size_t i = 0; i < BLOCK_TOKENS; i++) {
        uint32_t bits = (uint32_t)from[i] << 16;
        memcpy(&to[i], &bits, sizeof(bits));
    }
}

/* The exponent is moved by a product with 2^112, which is exact for subnormals
 * too; what had the largest exponent gets binary32's. */
static void widen_float16(const uint16_t *restrict from, float *restrict to)
{
    for (size_t i = 0; i < BLOCK_TOKENS; i++) {
        uint32_t half = from[i];
        uint32_t magnitude = (half & 0x7fff) << 13;
        float value;

        memcpy(&value, &magnitude, sizeof(value));
        value = value * 0x1p112f;
        uint32_t bits = tessera_bits_of(value);
        bits |= magnitude >= 0x0f800000 ? 0x7f800000 : 0;
        bits |= (half & 0x8000) << 16;
        memcpy(&to[i], &bits, sizeof(bits));
    }
}

static void mask_block(const float *from, const uint32_t *words, float *to)
{
    for (size_t word = 0; word < BLOCK_TOKENS / 32; word++) {
        float x[32];

        if (words[word] == 0) {
            for (size_t i = 0; i < 32; i++)
                to[word * 32 + i] = -INFINITY;
            continue;
        }
        memcpy(x, from + word * 32, sizeof(x));
        for (uint32_t i = 0; i < 32; i++)
            x[i] = words[word] & UINT32_C(1) << i ? x[i] : -INFINITY;
        memcpy(to + word * 32, x, sizeof(x));
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

static void peaks(const float *restrict x, size_t blocks, float *restrict peak,
                  uint8_t *restrict nan)
{
    for (size_t block = 0; block < blocks; block++) {
        const float *at = x + block * BLOCK_TOKENS;
        float best[LANES];
        int32_t unordered[LANES];

        for (size_t lane = 0; lane < LANES; lane++) {
            float a = at[lane];
            float b = at[lane + LANES];
            float c = at[lane + 2 * LANES];
            float d = at[lane + 3 * LANES];
            float first = a > -INFINITY ? a : -INFINITY;
            first = b > first ? b : first;
            first = c > first ? c : first;
            best[lane] = d > first ? d : first;
            unordered[lane] =
                __builtin_isunordered(a, b) | __builtin_isunordered(c, d);
        }
        for (size_t half = LANES / 2; half > 0; half /= 2)
            for (size_t lane = 0; lane < half; lane++) {
                best[lane] = best[lane] > best[lane + half] ? best[lane]
                                                            : best[lane + half];
                unordered[lane] |= unordered[lane + half];
            }
        peak[block] = best[0];
        nan[block] = unordered[0] != 0;
    }
}

static uint64_t weigh(const float *restrict x,
                      const struct weighing *restrict weighing, float threshold,
                      struct block_sum *restrict from)
{
    const float m = weighing->m;
    const struct tessera_scale scale = weighing->scale;
    uint64_t all = 0;
    uint64_t above = 0;
    int32_t count = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i++) {
        uint64_t weight = tessera_weight_of(x[i] - m, scale);

        all += weight;
        above += x[i] >= threshold ? weight : 0;
        count += x[i] >= threshold ? 1 : 0;
    }
    *from = (struct block_sum){above, count};
    return all;
}

static void weights(const float *restrict x,
                    const struct weighing *restrict weighing,
                    uint64_t *restrict to)
{
    const float m = weighing->m;
    const struct tessera_scale scale = weighing->scale;

    for (size_t i = 0; i < BLOCK_TOKENS; i++)
        to[i] = tessera_weight_of(x[i] - m, scale);
}

static size_t collect(const float *restrict x, float low, float high,
                      int32_t first, float *restrict list_x,
                      int32_t *restrict list_id)
{
    size_t found = 0;

    for (int32_t i = 0; i < BLOCK_TOKENS; i++) {
        list_x[found] = x[i];
        list_id[found] = first + i;
        found += (size_t)(x[i] >= low) & (size_t)(x[i] < high);
    }
    return found;
}

static int32_t count(const float *x, float threshold)
{
    int32_t above = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i++)
        above += x[i] >= threshold ? 1 : 0;
    return above;
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
    .weigh = weigh,
    .weights = weights,
    .collect = collect,
    .count = count,
    .lightest = lightest,
};
