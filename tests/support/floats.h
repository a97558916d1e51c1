/*
 * floats.h - floats and their bits, for tests
 */

#ifndef TESSERA_TESTS_FLOATS_H
#define TESSERA_TESTS_FLOATS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline float float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The bfloat16 that is 'value'; it must be one. */
static inline uint16_t bfloat16_of(float value)
{
    return (uint16_t)(bits_of_float(value) >> 16);
}

/* The binary16 that is 'value'; it must be one, and not a subnormal. */
static inline uint16_t float16_of(float value)
{
    uint32_t bits = bits_of_float(value);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t exponent = bits >> 23 & 0xff;
    uint32_t fraction = bits >> 13 & 0x3ff;

    if (exponent == 0)
        return (uint16_t)sign;
    if (exponent == 0xff)
        return (uint16_t)(sign | 0x7c00 | fraction);
    return (uint16_t)(sign | (exponent - 112) << 10 | fraction);
}

#endif
