/*
 * loops_plain.h - the loops that matter most, for the compiler to vectorise
 *
 * Part of loops.c, where no file of intrinsics takes its place.
 */

#ifndef TESSERA_CPU_LOOPS_PLAIN_H
#define TESSERA_CPU_LOOPS_PLAIN_H

#include "loops.h"
#include "widen_float16.h"

/* A chain of maxima waits for each step; this many chains are under way at
 * once. */
enum { LANES = 64 };

#define FOUR_BITS(i)                                                           \
    UINT32_C(1) << (i), UINT32_C(2) << (i), UINT32_C(4) << (i),                \
        UINT32_C(8) << (i)
static const uint32_t bit[32] = {
    FOUR_BITS(0),  FOUR_BITS(4),  FOUR_BITS(8),  FOUR_BITS(12),
    FOUR_BITS(16), FOUR_BITS(20), FOUR_BITS(24), FOUR_BITS(28),
};

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
        for (size_t i = 0; i < 32; i++)
            x[i] = words[word] & bit[i] ? x[i] : -INFINITY;
        memcpy(to + word * 32, x, sizeof(x));
    }
}

static struct peak_sum peaks(const float *restrict x, size_t blocks,
                             float *restrict peak, uint8_t *restrict nan)
{
    struct peak_sum sum = {-INFINITY, false};

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
        sum.m = best[0] > sum.m ? best[0] : sum.m;
        sum.nan = sum.nan || unordered[0] != 0;
    }
    return sum;
}

/* In two loops: the shifts do not vectorise everywhere, the rest does. */
static void weights(const float *restrict x,
                    const struct weighing *restrict weighing,
                    uint64_t *restrict to)
{
    const float m = weighing->m;
    const struct tessera_scale scale = weighing->scale;
    uint32_t fixed[BLOCK_TOKENS];
    uint32_t shift[BLOCK_TOKENS];

    for (size_t i = 0; i < BLOCK_TOKENS; i++) {
        struct tessera_weight_parts parts =
            tessera_weight_parts_of(x[i] - m, scale);

        fixed[i] = parts.fixed;
        shift[i] = parts.shift;
    }
    for (size_t i = 0; i < BLOCK_TOKENS; i++)
        to[i] = (uint64_t)fixed[i] << 18 >> shift[i];
}

static uint64_t weigh(const float *restrict x,
                      const struct weighing *restrict weighing, float threshold,
                      struct block_sum *restrict from)
{
    uint64_t weight[BLOCK_TOKENS];
    uint64_t all = 0;
    uint64_t above = 0;
    int32_t count = 0;

    weights(x, weighing, weight);
    for (size_t i = 0; i < BLOCK_TOKENS; i++) {
        all += weight[i];
        above += x[i] >= threshold ? weight[i] : 0;
        count += x[i] >= threshold ? 1 : 0;
    }
    *from = (struct block_sum){above, count};
    return all;
}

static struct block_sum weigh_above(const float *restrict x,
                                    const struct weighing *restrict weighing,
                                    float threshold)
{
    struct block_sum from;

    weigh(x, weighing, threshold, &from);
    return from;
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

#endif
