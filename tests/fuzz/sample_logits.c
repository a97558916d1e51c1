/*
 * sample_logits.c - a call of tessera_sample() made of bytes: logits and masks
 */

#include "sample_call.h"

#include "../support/floats.h"

#include <math.h>

/* splitmix64, for logits: to spell out each would take all the bytes. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint32_t logit_bits(enum tessera_dtype type, float value)
{
    if (type == TESSERA_FLOAT16)
        return float16_of(value);
    return type == TESSERA_BFLOAT16 ? bfloat16_of(value) : bits_of_float(value);
}

/* Values that every type has. */
static const float special[] = {0,    -0.0f,  1, -1,        64,        0.5f,
                                0.5f, -65280, 2, -INFINITY, -INFINITY, INFINITY,
                                NAN,  65280,  3, 0x1p-14f};

enum kind { NORMAL, WIDE, TIES, NARROW, BITS, SPECIAL, SPELLED, KINDS };

static void fill_logits(struct bytes *bytes, enum tessera_dtype type,
                        uint8_t *logits, size_t vocab)
{
    enum kind kind = (enum kind)take_below(bytes, KINDS);
    uint64_t state = kind == SPELLED ? 0 : take(bytes, 2);
    size_t element = type == TESSERA_FLOAT32 ? 4 : 2;

    for (size_t token = 0; token < vocab; token++) {
        uint64_t random = next_random(&state);
        /* Half-integers of a triangular distribution, about 0. */
        float normal = (float)((random & 15) + (random >> 4 & 15)) / 2 - 7.5f;
        uint32_t bits = 0;

        if (kind == NORMAL)
            bits = logit_bits(type, normal + (float)(random >> 8 & 7) / 16);
        else if (kind == WIDE)
            bits = logit_bits(type, normal * 8);
        else if (kind == TIES)
            bits = logit_bits(type, (float)(random & 3));
        else if (kind == NARROW)
            bits = logit_bits(type, 1 + (float)(random & 7) / 64);
        else if (kind == BITS)
            bits = (uint32_t)random;
        else if (kind == SPECIAL)
            bits = logit_bits(type, special[random & 15]);
        else if (kind == SPELLED)
            bits = (uint32_t)take(bytes, element);
        memcpy(logits + token * element, &bits, element);
    }
}

static const int32_t wrong_index[] = {-1, -2, INT32_MIN, INT32_MAX};

/* An index for each row into a table of 'count', or now and then beyond it.
 * -1 is asked for by 'none'. */
static int32_t *take_indices(struct bytes *bytes, struct sample_call *call,
                             int64_t count, bool none)
{
    size_t rows = (size_t)call->batch.rows;
    int32_t *index = new_array(call, rows * sizeof(*index), sizeof(*index));

    for (size_t row = 0; row < rows; row++) {
        if (take_once_in(bytes, 48))
            index[row] = take_below(bytes, 2)
                             ? (int32_t)count
                             : wrong_index[take_below(bytes, 4)];
        else if (count == 0 || (none && take_once_in(bytes, 3)))
            index[row] = -1;
        else
            index[row] = (int32_t)take_below(bytes, (uint32_t)count);
    }
    return index;
}

void logits_of_bytes(struct bytes *bytes, struct sample_call *call)
{
    struct tessera_batch *batch = &call->batch;
    size_t vocab = (size_t)call->config.vocab;
    bool indexed = take_below(bytes, 2);

    batch->logits_type = (enum tessera_dtype)take_below(bytes, 3);
    batch->logits_rows = indexed ? 1 + take_below(bytes, 4)
                                 : batch->rows + (int64_t)take_below(bytes, 2);
    batch->logits_stride = (int64_t)vocab + take_below(bytes, 10);

    size_t element = batch->logits_type == TESSERA_FLOAT32 ? 4 : 2;
    size_t rows = (size_t)batch->logits_rows;
    size_t stride = (size_t)batch->logits_stride;
    size_t count = rows == 0 ? 0 : (rows - 1) * stride + vocab;
    uint8_t *logits = new_array(call, count * element, element);
    for (size_t row = 0; row < rows; row++)
        fill_logits(bytes, batch->logits_type, logits + row * stride * element,
                    vocab);
    batch->logits = logits;
    if (indexed)
        batch->row_index = take_indices(bytes, call, batch->logits_rows, false);
}

/* Right ones, others, and none. */
void maxima_of_bytes(struct bytes *bytes, struct sample_call *call)
{
    size_t rows = (size_t)call->batch.rows;

    if (!take_below(bytes, 2))
        return;
    float *maxima = new_array(call, rows * sizeof(*maxima), sizeof(*maxima));
    for (size_t row = 0; row < rows; row++) {
        struct test_row asked;

        maxima[row] = NAN;
        if (take_once_in(bytes, 4))
            maxima[row] = take_float_bits(bytes);
        else if (look_up_row(call, (int32_t)row, &asked))
            maxima[row] = oracle_maximum(&asked);
    }
    call->batch.row_maxima = maxima;
}

static uint32_t take_mask_word(struct bytes *bytes)
{
    switch (take_below(bytes, 4)) {
    case 0:
        return (uint32_t)take(bytes, 4);
    case 1:
        return UINT32_C(1) << take_below(bytes, 32);
    case 2:
        return 0;
    default:
        return UINT32_MAX;
    }
}

void masks_of_bytes(struct bytes *bytes, struct sample_call *call)
{
    struct tessera_batch *batch = &call->batch;
    size_t words = ((size_t)call->config.vocab + 31) / 32;
    bool table = take_below(bytes, 2);
    bool indexed = take_below(bytes, 2);

    if (table) {
        batch->mask_count =
            (indexed ? 0 : batch->rows) + (int64_t)take_below(bytes, 4);
        batch->mask_stride = (int64_t)words + take_below(bytes, 3);

        size_t count = (size_t)batch->mask_count;
        size_t stride = (size_t)batch->mask_stride;
        uint32_t *masks = new_array(
            call, (count == 0 ? 0 : (count - 1) * stride + words) * 4, 4);
        for (size_t mask = 0; mask < count; mask++)
            for (size_t word = 0; word < words; word++)
                masks[mask * stride + word] = take_mask_word(bytes);
        batch->masks = masks;
    }
    if (indexed)
        batch->mask_index = take_indices(bytes, call, batch->mask_count, true);
}
