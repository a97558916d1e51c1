/*
 * weight.h - the weight of one token, written once
 *
 * weight.c is the stage; host/cpu compiles the same function into its loops,
 * once for each instruction set.
 */

#ifndef TESSERA_WEIGHT_H
#define TESSERA_WEIGHT_H

#include <stdint.h>
#include <string.h>

/* The fused multiply-add of binary32, rounded once.  A file may name another
 * of the same bits before it includes this. */
#ifndef TESSERA_FMA
#include <math.h>
#define TESSERA_FMA fmaf
#endif

/* What the temperature makes of a distance from the best logit. */
struct tessera_scale {
    float c;    /* log2(e) / T */
    float dmin; /* distances below it weigh nothing */
};

static inline uint32_t tessera_bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* A weight is a fixed-point number, below 2^23, shifted: see the next. */
struct tessera_weight_parts {
    uint32_t fixed;
    uint32_t shift;
};

static inline struct tessera_weight_parts
tessera_weight_parts_of(float distance, struct tessera_scale scale)
{
    float d = distance > scale.dmin ? distance : scale.dmin;

    /* Adding 1.5 * 2^23 rounds d * c to an integer in z's low bits; s is 12
     * less that integer, and g is 12 plus the fraction that is left, on a grid
     * of 2^-20 (the ulp of a float in [8, 16)). */
    float z = TESSERA_FMA(d, scale.c, 12582912.0f);
    float s = 12582924.0f - z;
    float g = TESSERA_FMA(d, scale.c, s);
    float f = g - 12.0f; /* in [-1/2, 1/2] */

    /* 2^f - 1 as a polynomial without its constant; h = 2 + 2^f lies in
     * [2, 4), so its bits less those of 2.0f are 2^f in fixed point. */
    float r = 0x1.5bfd58p-10f;
    r = TESSERA_FMA(r, f, 0x1.3ceaf8p-7f);
    r = TESSERA_FMA(r, f, 0x1.c6b61ap-5f);
    r = TESSERA_FMA(r, f, 0x1.ebf996p-3f);
    r = TESSERA_FMA(r, f, 0x1.62e428p-1f);
    float h = TESSERA_FMA(r, f, 3.0f);

    struct tessera_weight_parts parts = {
        tessera_bits_of(h) - 0x40000000,
        0x4B400000 - tessera_bits_of(z),
    };
    return parts;
}

/* The weight of a token whose logit is x - m = distance <= 0 from the best. */
static inline uint64_t tessera_weight_of(float distance,
                                         struct tessera_scale scale)
{
    struct tessera_weight_parts parts =
        tessera_weight_parts_of(distance, scale);

    return (uint64_t)parts.fixed << 18 >> parts.shift;
}

#endif
