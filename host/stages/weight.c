/*
 * weight.c - the weight of a token, a 64-bit integer
 *
 * w is 2^40 * 2^(d * c) for a token that is d below the best, from a fixed
 * list of binary32 operations and a shift.  It is 2^40 for the best token,
 * never rises as d falls, and is 0 from about 40 / c below on.  Because it is
 * an integer, sums of weights have no order and no rounding: every split of a
 * row over threads, blocks or devices gives the same sum.
 */

#include "stages.h"

#include <math.h>
#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

uint64_t tessera_weight(float distance, struct tessera_scale scale)
{
    float d = distance;
    if (!(d > scale.dmin))
        d = scale.dmin;

    /* Adding 1.5 * 2^23 rounds d * c to an integer in z's low bits; s is 12
     * less that integer, and g is 12 plus the fraction that is left, on a grid
     * of 2^-20 (the ulp of a float in [8, 16)). */
    float z = fmaf(d, scale.c, 12582912.0f);
    float s = 12582924.0f - z;
    float g = fmaf(d, scale.c, s);
    float f = g - 12.0f; /* in [-1/2, 1/2] */

    /* 2^f - 1 as a polynomial without its constant; h = 2 + 2^f lies in
     * [2, 4), so its bits less those of 2.0f are 2^f in fixed point. */
    float r = 0x1.5bfd58p-10f;
    r = fmaf(r, f, 0x1.3ceaf8p-7f);
    r = fmaf(r, f, 0x1.c6b61ap-5f);
    r = fmaf(r, f, 0x1.ebf996p-3f);
    r = fmaf(r, f, 0x1.62e428p-1f);
    float h = fmaf(r, f, 3.0f);

    uint64_t fixed = (uint64_t)(bits_of(h) - 0x40000000) << 18;
    return fixed >> (0x4B400000 - bits_of(z));
}

void tessera_weigh(struct tessera_row *row, struct tessera_scale scale)
{
    float m = row->ranked[0].x;

    for (size_t i = 0; i < row->in; i++)
        row->ranked[i].weight = tessera_weight(row->ranked[i].x - m, scale);
}
