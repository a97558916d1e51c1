/*
 * logits.c - widen a row of logits to binary32, exactly
 *
 * Every value of binary16 and bfloat16 is a binary32, so nothing is rounded
 * here, and everything after is binary32: storing an edited logit back in 16
 * bits would make ties that are not there.
 */

#include "stages.h"

#include <string.h>

static float float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
static float widen_float16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t fraction = half & 0x3ff;

    if (exponent == 0x1f) /* infinity or NaN */
        return float_of_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24, exact */
        float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

float tessera_widen(const void *logits, enum tessera_dtype type, size_t token)
{
    switch (type) {
    case TESSERA_FLOAT16:
        return widen_float16(((const uint16_t *)logits)[token]);
    case TESSERA_BFLOAT16:
        return float_of_bits((uint32_t)((const uint16_t *)logits)[token] << 16);
    case TESSERA_FLOAT32:
    default:
        return ((const float *)logits)[token];
    }
}

void tessera_logits(struct tessera_row *row, const void *logits,
                    enum tessera_dtype type)
{
    for (size_t token = 0; token < (size_t)row->vocab; token++)
        row->x[token] = tessera_widen(logits, type, token);
}
