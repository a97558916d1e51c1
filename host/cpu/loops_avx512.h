/*
 * loops_avx512.h - the loops that matter most, in AVX-512 F, DQ and VL
 *
 * Part of loops.c.  What compilers make of loops_plain.h took 13 us for the
 * peaks of 128,256 logits in the nearest cache but one where this takes 6, 47
 * for their weights where this takes 30, and 55 to collect where this takes 12.
 */

#ifndef TESSERA_CPU_LOOPS_AVX512_H
#define TESSERA_CPU_LOOPS_AVX512_H

#include "loops.h"

#include <immintrin.h>

enum { WIDTH = 16 };

static void widen_float16(const uint16_t *from, float *to)
{
    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        __m256i half = _mm256_loadu_si256((const void *)(from + i));

        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(half));
    }
}

static void mask_block(const float *from, const uint32_t *words, float *to)
{
    const __m512 out = _mm512_set1_ps(-INFINITY);

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        __mmask16 in = (__mmask16)(words[i / 32] >> i % 32);

        /* What is masked out is not read. */
        _mm512_storeu_ps(to + i, _mm512_mask_loadu_ps(out, in, from + i));
    }
}

/* The largest of each lane of a block, and in *ordered whether there is a NaN:
 * a bit of 0. */
static inline __m512 block_best(const float *x, __mmask16 ordered[4])
{
    __m512 best[2] = {_mm512_set1_ps(-INFINITY), _mm512_set1_ps(-INFINITY)};

    for (size_t i = 0; i < BLOCK_TOKENS; i += 2 * WIDTH) {
        __m512 a = _mm512_loadu_ps(x + i);
        __m512 b = _mm512_loadu_ps(x + i + WIDTH);
        size_t chain = i / (2 * WIDTH) % 4;

        /* Or gcc loads them for each use: rows are rarely aligned to cache
         * lines, so that loads are what this takes longest. */
        __asm__("" : "+v"(a), "+v"(b));
        /* A NaN gives the second operand. */
        best[0] = _mm512_max_ps(a, best[0]);
        best[1] = _mm512_max_ps(b, best[1]);
        /* Two at once: neither is a NaN. */
        ordered[chain] =
            _mm512_mask_cmp_ps_mask(ordered[chain], a, b, _CMP_ORD_Q);
    }
    return _mm512_max_ps(best[0], best[1]);
}

/* The largest of each of four vectors. */
static inline __m128 largest_of_four(const __m512 v[4])
{
    __m512 ab = _mm512_max_ps(_mm512_unpacklo_ps(v[0], v[1]),
                              _mm512_unpackhi_ps(v[0], v[1]));
    __m512 cd = _mm512_max_ps(_mm512_unpacklo_ps(v[2], v[3]),
                              _mm512_unpackhi_ps(v[2], v[3]));
    __m512d low =
        _mm512_unpacklo_pd(_mm512_castps_pd(ab), _mm512_castps_pd(cd));
    __m512d high =
        _mm512_unpackhi_pd(_mm512_castps_pd(ab), _mm512_castps_pd(cd));
    __m512 abcd = _mm512_max_ps(_mm512_castpd_ps(low), _mm512_castpd_ps(high));
    __m256 half = _mm256_max_ps(_mm512_castps512_ps256(abcd),
                                _mm512_extractf32x8_ps(abcd, 1));

    return _mm_max_ps(_mm256_castps256_ps128(half),
                      _mm256_extractf128_ps(half, 1));
}

static struct peak_sum peaks(const float *x, size_t blocks, float *peak,
                             uint8_t *nan)
{
    __mmask16 ordered[4] = {0xffff, 0xffff, 0xffff, 0xffff};
    __m128 most = _mm_set1_ps(-INFINITY);
    size_t block = 0;

    for (; block + 4 <= blocks; block += 4) {
        __m512 best[4];

        for (size_t i = 0; i < 4; i++)
            best[i] = block_best(x + (block + i) * BLOCK_TOKENS, ordered);
        __m128 four = largest_of_four(best);
        _mm_storeu_ps(peak + block, four);
        most = _mm_max_ps(four, most);
    }
    for (; block < blocks; block++) {
        __m512 best = block_best(x + block * BLOCK_TOKENS, ordered);

        peak[block] = _mm512_reduce_max_ps(best);
        most = _mm_max_ps(_mm_set1_ps(peak[block]), most);
    }
    most = _mm_max_ps(most, _mm_movehl_ps(most, most));
    most = _mm_max_ss(most, _mm_movehdup_ps(most));

    bool any = (ordered[0] & ordered[1] & ordered[2] & ordered[3]) != 0xffff;
    for (block = 0; block < blocks; block++) {
        __mmask16 here[4] = {0xffff, 0xffff, 0xffff, 0xffff};

        if (any)
            block_best(x + block * BLOCK_TOKENS, here);
        nan[block] = (here[0] & here[1] & here[2] & here[3]) != 0xffff;
    }
    return (struct peak_sum){_mm_cvtss_f32(most), any};
}

/* The bits of weight.h's h and z of 16 tokens. */
struct factors {
    __m512i h;
    __m512i z;
};

static inline struct factors factors_of(__m512 x,
                                        const struct weighing *weighing)
{
    __m512 c = _mm512_set1_ps(weighing->scale.c);
    __m512 d = _mm512_sub_ps(x, _mm512_set1_ps(weighing->m));
    d = _mm512_max_ps(d, _mm512_set1_ps(weighing->scale.dmin));
    __m512 z = _mm512_fmadd_ps(d, c, _mm512_set1_ps(12582912.0f));
    __m512 s = _mm512_sub_ps(_mm512_set1_ps(12582924.0f), z);
    __m512 g = _mm512_fmadd_ps(d, c, s);
    __m512 f = _mm512_sub_ps(g, _mm512_set1_ps(12.0f));
    __m512 r = _mm512_set1_ps(0x1.5bfd58p-10f);
    r = _mm512_fmadd_ps(r, f, _mm512_set1_ps(0x1.3ceaf8p-7f));
    r = _mm512_fmadd_ps(r, f, _mm512_set1_ps(0x1.c6b61ap-5f));
    r = _mm512_fmadd_ps(r, f, _mm512_set1_ps(0x1.ebf996p-3f));
    r = _mm512_fmadd_ps(r, f, _mm512_set1_ps(0x1.62e428p-1f));
    __m512 h = _mm512_fmadd_ps(r, f, _mm512_set1_ps(3.0f));
    return (struct factors){_mm512_castps_si512(h), _mm512_castps_si512(z)};
}

/* How far to shift the even and the odd tokens' h to the right, once the even
 * ones stand 41 and the odd ones 32 bits to the left, their upper 9 bits gone:
 * (h << 18) >> s.  A shift by 64 and more gives 0. */
static inline __m512i even_shifts(__m512i z)
{
    __m512i shifts = _mm512_sub_epi32(_mm512_set1_epi32(0x4B400000 + 23), z);

    return _mm512_and_si512(shifts, _mm512_set1_epi64(0xffffffff));
}

static inline __m512i odd_shifts(__m512i z)
{
    __m512i shifts = _mm512_sub_epi32(_mm512_set1_epi32(0x4B400000 + 14), z);

    return _mm512_srli_epi64(shifts, 32);
}

static inline __m512i even_weights(__m512i h, __m512i shifts)
{
    return _mm512_srlv_epi64(_mm512_slli_epi64(h, 41), shifts);
}

static inline __m512i odd_weights(__m512i h, __m512i shifts)
{
    __m512i high = _mm512_set1_epi64((int64_t)0x007fffff << 32);

    return _mm512_srlv_epi64(_mm512_and_si512(h, high), shifts);
}

static uint64_t weigh(const float *x, const struct weighing *weighing,
                      float threshold, struct block_sum *from)
{
    __m512 least = _mm512_set1_ps(threshold);
    __m512i all[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    __m512i above[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    int32_t count = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        __m512 v = _mm512_loadu_ps(x + i);
        struct factors factors = factors_of(v, weighing);
        __mmask16 is_above = _mm512_cmp_ps_mask(v, least, _CMP_GE_OQ);
        __m512i even = even_weights(factors.h, even_shifts(factors.z));
        __m512i odd = odd_weights(factors.h, odd_shifts(factors.z));
        /* Apart from the vectors: they have enough to do. */
        __mmask8 even_above = (__mmask8)_pext_u32(is_above, 0x5555);
        __mmask8 odd_above = (__mmask8)_pext_u32(is_above, 0xaaaa);

        all[0] = _mm512_add_epi64(all[0], even);
        all[1] = _mm512_add_epi64(all[1], odd);
        above[0] = _mm512_mask_add_epi64(above[0], even_above, above[0], even);
        above[1] = _mm512_mask_add_epi64(above[1], odd_above, above[1], odd);
        count += __builtin_popcount(is_above);
    }
    *from = (struct block_sum){
        (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(above[0], above[1])),
        count,
    };
    return (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(all[0], all[1]));
}

static struct block_sum
weigh_above(const float *x, const struct weighing *weighing, float threshold)
{
    __m512 least = _mm512_set1_ps(threshold);
    __m512i above[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    int32_t count = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        __m512 v = _mm512_loadu_ps(x + i);
        struct factors factors = factors_of(v, weighing);
        __mmask16 is_above = _mm512_cmp_ps_mask(v, least, _CMP_GE_OQ);
        __m512i h = _mm512_maskz_mov_epi32(is_above, factors.h);

        above[0] =
            _mm512_add_epi64(above[0], even_weights(h, even_shifts(factors.z)));
        above[1] =
            _mm512_add_epi64(above[1], odd_weights(h, odd_shifts(factors.z)));
        count += __builtin_popcount(is_above);
    }
    return (struct block_sum){
        (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(above[0], above[1])),
        count,
    };
}

static void weights(const float *x, const struct weighing *weighing,
                    uint64_t *to)
{
    /* Even and odd tokens back side by side. */
    __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    __m512i high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        struct factors factors = factors_of(_mm512_loadu_ps(x + i), weighing);
        __m512i even = even_weights(factors.h, even_shifts(factors.z));
        __m512i odd = odd_weights(factors.h, odd_shifts(factors.z));

        _mm512_storeu_si512(to + i, _mm512_permutex2var_epi64(even, low, odd));
        _mm512_storeu_si512(to + i + 8,
                            _mm512_permutex2var_epi64(even, high, odd));
    }
}

static size_t collect(const float *x, float low, float high, int32_t first,
                      float *list_x, int32_t *list_id)
{
    __m512 from = _mm512_set1_ps(low);
    __m512 to = _mm512_set1_ps(high);
    __m512i id = _mm512_add_epi32(_mm512_set1_epi32(first),
                                  _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8,
                                                    9, 10, 11, 12, 13, 14, 15));
    size_t found = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH) {
        __m512 v = _mm512_loadu_ps(x + i);
        __mmask16 in = _mm512_cmp_ps_mask(v, from, _CMP_GE_OQ);

        in = _mm512_mask_cmp_ps_mask(in, v, to, _CMP_LT_OQ);
        if (in) {
            _mm512_storeu_ps(list_x + found, _mm512_maskz_compress_ps(in, v));
            _mm512_storeu_si512(list_id + found,
                                _mm512_maskz_compress_epi32(in, id));
            found += (size_t)__builtin_popcount(in);
        }
        id = _mm512_add_epi32(id, _mm512_set1_epi32(WIDTH));
    }
    return found;
}

static int32_t count(const float *x, float threshold)
{
    __m512 least = _mm512_set1_ps(threshold);
    int32_t above = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i += WIDTH)
        above += __builtin_popcount(
            _mm512_cmp_ps_mask(_mm512_loadu_ps(x + i), least, _CMP_GE_OQ));
    return above;
}

#endif
