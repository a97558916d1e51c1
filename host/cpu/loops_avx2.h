/*
 * loops_avx2.h - the loops that matter most, in AVX2, FMA and BMI2
 *
 * Part of loops.c.  The same steps as in loops_avx512.h, eight tokens at a time
 * and with masks that are vectors.
 */

#ifndef TESSERA_CPU_LOOPS_AVX2_H
#define TESSERA_CPU_LOOPS_AVX2_H

#include "loops.h"
#include "widen_float16.h"

#include <immintrin.h>

enum { WIDTH = 8 };

static void mask_block(const float *from, const uint32_t *words, float *to)
{
    const __m256 out = _mm256_set1_ps(-INFINITY);
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        __m256i bits = _mm256_set1_epi32((int32_t)(words[i / 32] >> i % 32));
        __m256i in = _mm256_cmpeq_epi32(_mm256_and_si256(bits, bit), bit);
        /* What is masked out is not read. */
        __m256 x = _mm256_maskload_ps(from + i, in);

        _mm256_storeu_ps(to + i,
                         _mm256_blendv_ps(out, x, _mm256_castsi256_ps(in)));
    }
}

static inline float largest_of(__m256 v)
{
    __m128 m =
        _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    m = _mm_max_ss(m, _mm_movehdup_ps(m));
    return _mm_cvtss_f32(m);
}

static inline uint64_t sum_of(__m256i a, __m256i b)
{
    __m256i v = _mm256_add_epi64(a, b);
    __m128i sum = _mm_add_epi64(_mm256_castsi256_si128(v),
                                _mm256_extracti128_si256(v, 1));

    sum = _mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum));
    return (uint64_t)_mm_cvtsi128_si64(sum);
}

static struct peak_sum peaks(const float *x, size_t blocks, float *peak,
                             uint8_t *nan)
{
    struct peak_sum sum = {-INFINITY, false};

    for (size_t block = 0; block < blocks; block++) {
        const float *at = x + block * BLOCK_TOKENS;
        __m256 best[4];
        __m256 unordered = _mm256_setzero_ps();

        for (size_t i = 0; i < 4; i++)
            best[i] = _mm256_set1_ps(-INFINITY);
        for (size_t i = 0; i < BLOCK_TOKENS; i += 4 * WIDTH) {
            __m256 v[4];

            for (size_t j = 0; j < 4; j++) {
                v[j] = _mm256_loadu_ps(at + i + j * WIDTH);
                __asm__("" : "+x"(v[j])); /* load it once */
                /* A NaN gives the second operand. */
                best[j] = _mm256_max_ps(v[j], best[j]);
            }
            /* Two at once: one of them is a NaN. */
            for (size_t j = 0; j < 4; j += 2)
                unordered = _mm256_or_ps(
                    unordered, _mm256_cmp_ps(v[j], v[j + 1], _CMP_UNORD_Q));
        }
        for (size_t i = 0; i < 2; i++)
            best[i] = _mm256_max_ps(best[i], best[i + 2]);
        float m = largest_of(_mm256_max_ps(best[0], best[1]));
        bool is_nan = _mm256_movemask_ps(unordered) != 0;
        peak[block] = m;
        nan[block] = is_nan;
        sum.m = m > sum.m ? m : sum.m;
        sum.nan |= is_nan;
    }
    return sum;
}

/* The bits of weight.h's h and z of 8 tokens. */
struct factors {
    __m256i h;
    __m256i z;
};

static inline struct factors factors_of(__m256 x,
                                        const struct weighing *weighing)
{
    __m256 c = _mm256_set1_ps(weighing->scale.c);
    __m256 d = _mm256_sub_ps(x, _mm256_set1_ps(weighing->m));
    d = _mm256_max_ps(d, _mm256_set1_ps(weighing->scale.dmin));
    __m256 z = _mm256_fmadd_ps(d, c, _mm256_set1_ps(12582912.0f));
    __m256 s = _mm256_sub_ps(_mm256_set1_ps(12582924.0f), z);
    __m256 g = _mm256_fmadd_ps(d, c, s);
    __m256 f = _mm256_sub_ps(g, _mm256_set1_ps(12.0f));
    __m256 r = _mm256_set1_ps(0x1.5bfd58p-10f);
    r = _mm256_fmadd_ps(r, f, _mm256_set1_ps(0x1.3ceaf8p-7f));
    r = _mm256_fmadd_ps(r, f, _mm256_set1_ps(0x1.c6b61ap-5f));
    r = _mm256_fmadd_ps(r, f, _mm256_set1_ps(0x1.ebf996p-3f));
    r = _mm256_fmadd_ps(r, f, _mm256_set1_ps(0x1.62e428p-1f));
    __m256 h = _mm256_fmadd_ps(r, f, _mm256_set1_ps(3.0f));
    return (struct factors){_mm256_castps_si256(h), _mm256_castps_si256(z)};
}

/* As in loops_avx512.h: (h << 18) >> s of the even and of the odd tokens. */
static inline __m256i even_weights(struct factors factors)
{
    __m256i shifts =
        _mm256_sub_epi32(_mm256_set1_epi32(0x4B400000 + 23), factors.z);

    shifts = _mm256_and_si256(shifts, _mm256_set1_epi64x(0xffffffff));
    return _mm256_srlv_epi64(_mm256_slli_epi64(factors.h, 41), shifts);
}

static inline __m256i odd_weights(struct factors factors)
{
    __m256i high = _mm256_set1_epi64x((int64_t)0x007fffff << 32);
    __m256i shifts =
        _mm256_sub_epi32(_mm256_set1_epi32(0x4B400000 + 14), factors.z);

    shifts = _mm256_srli_epi64(shifts, 32);
    return _mm256_srlv_epi64(_mm256_and_si256(factors.h, high), shifts);
}

/* The mask of a token's 32 bits, for the 64 of an even and of an odd one. */
static inline __m256i even_mask(__m256 mask)
{
    return _mm256_shuffle_epi32(_mm256_castps_si256(mask), 0xa0);
}

static inline __m256i odd_mask(__m256 mask)
{
    return _mm256_shuffle_epi32(_mm256_castps_si256(mask), 0xf5);
}

static inline int32_t bits_in(__m256 mask)
{
    return __builtin_popcount((uint32_t)_mm256_movemask_ps(mask));
}

static uint64_t weigh(const float *x, const struct weighing *weighing,
                      float threshold, struct block_sum *from)
{
    __m256 least = _mm256_set1_ps(threshold);
    __m256i all[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    __m256i above[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    int32_t count = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        __m256 v = _mm256_loadu_ps(x + i);
        struct factors factors = factors_of(v, weighing);
        __m256 mask = _mm256_cmp_ps(v, least, _CMP_GE_OQ);
        __m256i even = even_weights(factors);
        __m256i odd = odd_weights(factors);

        all[0] = _mm256_add_epi64(all[0], even);
        all[1] = _mm256_add_epi64(all[1], odd);
        even = _mm256_and_si256(even, even_mask(mask));
        odd = _mm256_and_si256(odd, odd_mask(mask));
        above[0] = _mm256_add_epi64(above[0], even);
        above[1] = _mm256_add_epi64(above[1], odd);
        count += bits_in(mask);
    }
    *from = (struct block_sum){sum_of(above[0], above[1]), count};
    return sum_of(all[0], all[1]);
}

static struct block_sum
weigh_above(const float *x, const struct weighing *weighing, float threshold)
{
    __m256 least = _mm256_set1_ps(threshold);
    __m256i above[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    int32_t count = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        __m256 v = _mm256_loadu_ps(x + i);
        struct factors factors = factors_of(v, weighing);
        __m256 mask = _mm256_cmp_ps(v, least, _CMP_GE_OQ);

        /* A weight whose h is 0 is 0. */
        factors.h = _mm256_and_si256(factors.h, _mm256_castps_si256(mask));
        above[0] = _mm256_add_epi64(above[0], even_weights(factors));
        above[1] = _mm256_add_epi64(above[1], odd_weights(factors));
        count += bits_in(mask);
    }
    return (struct block_sum){sum_of(above[0], above[1]), count};
}

static void weights(const float *x, const struct weighing *weighing,
                    uint64_t *to)
{
    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        struct factors factors = factors_of(_mm256_loadu_ps(x + i), weighing);
        __m256i even = even_weights(factors);
        __m256i odd = odd_weights(factors);

        /* Even and odd tokens back side by side. */
        __m256i a = _mm256_unpacklo_epi64(even, odd);
        __m256i b = _mm256_unpackhi_epi64(even, odd);
        _mm256_storeu_si256((__m256i *)(void *)(to + i),
                            _mm256_permute2x128_si256(a, b, 0x20));
        _mm256_storeu_si256((__m256i *)(void *)(to + i + 4),
                            _mm256_permute2x128_si256(a, b, 0x31));
    }
}

static size_t collect(const float *x, float low, float high, int32_t first,
                      float *list_x, int32_t *list_id)
{
    __m256 from = _mm256_set1_ps(low);
    __m256 to = _mm256_set1_ps(high);
    __m256i id = _mm256_add_epi32(_mm256_set1_epi32(first),
                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    size_t found = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        __m256 v = _mm256_loadu_ps(x + i);
        __m256 mask = _mm256_and_ps(_mm256_cmp_ps(v, from, _CMP_GE_OQ),
                                    _mm256_cmp_ps(v, to, _CMP_LT_OQ));
        uint32_t in = (uint32_t)_mm256_movemask_ps(mask);

        if (in) {
            /* The places of the bits that are set, a byte each. */
            uint64_t bytes = _pdep_u64(in, UINT64_C(0x0101010101010101)) * 0xff;
            uint64_t places = _pext_u64(UINT64_C(0x0706050403020100), bytes);
            __m256i order =
                _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)places));

            _mm256_storeu_ps(list_x + found,
                             _mm256_permutevar8x32_ps(v, order));
            _mm256_storeu_si256((__m256i *)(void *)(list_id + found),
                                _mm256_permutevar8x32_epi32(id, order));
            found += (size_t)__builtin_popcount(in);
        }
        id = _mm256_add_epi32(id, _mm256_set1_epi32(WIDTH));
    }
    return found;
}

static int32_t count(const float *x, float threshold)
{
    __m256 least = _mm256_set1_ps(threshold);
    int32_t above = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH)
        above +=
            bits_in(_mm256_cmp_ps(_mm256_loadu_ps(x + i), least, _CMP_GE_OQ));
    return above;
}

#endif
