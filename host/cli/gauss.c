/*
 * gauss.c - rows of random logits that are the same on every machine
 *
 * A sum of twelve uniforms stands for the normal distribution, since additions
 * and one multiplication have one answer everywhere, which log and cos do not.
 */

#include "gauss.h"

#include <math.h>
#include <string.h>

uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

size_t dtype_bytes(enum tessera_dtype dtype)
{
    return dtype == TESSERA_FLOAT32 ? 4 : 2;
}

static uint16_t round_to_float16(uint32_t bits)
{
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t magnitude = bits & 0x7fffffff;

    if (magnitude > 0x7f800000)
        return sign | 0x7e00;
    if (magnitude >= 0x47800000) /* 2^16 */
        return sign | 0x7c00;
    if (magnitude >= 0x38800000) { /* 2^-14, the least normal number */
        uint32_t odd = magnitude >> 13 & 1;
        /* The carry of a number that rounds to 2^16 makes an infinity. */
        uint32_t rebiased = magnitude - 0x38000000;
        return sign | (uint16_t)((rebiased + 0xfff + odd) >> 13);
    }
    float value;
    memcpy(&value, &magnitude, sizeof(value));
    return sign | (uint16_t)lrintf(value * 0x1p24f);
}

static uint16_t round_to_bfloat16(uint32_t bits)
{
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void round_to_dtype(float value, enum tessera_dtype dtype, void *bits)
{
    uint32_t word;
    uint16_t half;

    memcpy(&word, &value, sizeof(word));
    switch (dtype) {
    case TESSERA_FLOAT32:
        memcpy(bits, &word, sizeof(word));
        return;
    case TESSERA_FLOAT16:
        half = round_to_float16(word);
        break;
    default:
        half = round_to_bfloat16(word);
        break;
    }
    memcpy(bits, &half, sizeof(half));
}

void gauss_fill(struct gauss gauss, enum tessera_dtype dtype, size_t count,
                void *logits)
{
    uint64_t state = gauss.seed;
    size_t bytes = dtype_bytes(dtype);
    unsigned char *next = logits;

    for (size_t token = 0; token < count; token++) {
        double sum = 0;
        for (int i = 0; i < 12; i++)
            sum += (double)(splitmix(&state) >> 11) * 0x1p-53;
        double value = gauss.mean + gauss.deviation * (sum - 6);
        round_to_dtype((float)value, dtype, next);
        next += bytes;
    }
}
