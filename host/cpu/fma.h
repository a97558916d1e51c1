/*
 * fma.h - the fused multiply-add of binary32, for loops
 *
 * One instruction where the compiler may use it.  Otherwise in binary64: the
 * product is exact there; the sum is rounded to odd (a bit that was lost sets
 * the last one), after which rounding to binary32 gives what one rounding would
 * have (Boldo and Melquiond 2008), as 53 >= 24 + 2.  No branches, so that it
 * vectorises.
 */

#ifndef TESSERA_CPU_FMA_H
#define TESSERA_CPU_FMA_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define TESSERA_FMA __builtin_fmaf
#else
#define TESSERA_FMA tessera_software_fma
#endif

/* For finite a * b + c. */
static inline float tessera_software_fma(float a, float b, float c)
{
    double product = (double)a * (double)b;
    double addend = (double)c;
    double sum = product + addend;

    /* What the sum lost, exactly (Knuth). */
    double part = sum - product;
    double lost = (product - (sum - part)) + (addend - part);

    /* Towards zero, and the last bit set for what was lost: one below in
     * magnitude if the sum had been rounded away from zero. */
    uint64_t bits;
    uint64_t lost_bits;
    memcpy(&bits, &sum, sizeof(bits));
    memcpy(&lost_bits, &lost, sizeof(lost_bits));
    uint64_t magnitude = lost_bits << 1;
    uint64_t inexact = (magnitude | (0 - magnitude)) >> 63;
    bits = (bits - ((bits ^ lost_bits) >> 63 & inexact)) | inexact;
    memcpy(&sum, &bits, sizeof(sum));
    return (float)sum;
}

#endif
