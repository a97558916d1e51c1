/*
 * bytes.h - values taken from a fuzzer's bytes, one after another
 *
 * When the bytes are used up, every value is 0: what 0 means should be usual,
 * so that short inputs make plain batches.
 */

#ifndef TESSERA_TESTS_FUZZ_BYTES_H
#define TESSERA_TESTS_FUZZ_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
    const uint8_t *next;
    size_t left;
};

/* The next 'count' bytes, at most 8, as a little-endian number. */
static inline uint64_t take(struct bytes *bytes, size_t count)
{
    uint64_t value = 0;

    for (size_t i = 0; i < count && bytes->left > 0; i++) {
        value |= (uint64_t)*bytes->next++ << 8 * i;
        bytes->left--;
    }
    return value;
}

/* In [0, limit); limit at most 256. */
static inline uint32_t take_below(struct bytes *bytes, uint32_t limit)
{
    return (uint32_t)take(bytes, 1) % limit;
}

/* True once in 'times', at most 256. */
static inline bool take_once_in(struct bytes *bytes, uint32_t times)
{
    return take_below(bytes, times) == times - 1;
}

static inline float take_float_bits(struct bytes *bytes)
{
    uint32_t bits = (uint32_t)take(bytes, 4);
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

#endif
