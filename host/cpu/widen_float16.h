/*
 * widen_float16.h - binary16 to binary32, where there is no instruction for it
 *
 * Part of loops.c.
 */

#ifndef TESSERA_CPU_WIDEN_FLOAT16_H
#define TESSERA_CPU_WIDEN_FLOAT16_H

#include "loops.h"

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

#endif
