/*
 * row_builder.c - rows for the tests of single stages
 */

#include "row_builder.h"

#include <stdlib.h>
#include <string.h>

static struct tessera_row row_of(size_t vocab)
{
    struct tessera_row row = {
        .vocab = (int32_t)vocab,
        .x = malloc(vocab * sizeof(*row.x)),
        .weight_up_to = malloc(vocab * sizeof(*row.weight_up_to)),
        .ranked = malloc(vocab * sizeof(*row.ranked)),
        .scratch = malloc(vocab * sizeof(*row.ranked)),
    };

    if (!row.x || !row.weight_up_to || !row.ranked || !row.scratch)
        abort();
    return row;
}

struct tessera_row row_of_logits(const float *logits, size_t vocab)
{
    struct tessera_row row = row_of(vocab);

    memcpy(row.x, logits, vocab * sizeof(*logits));
    return row;
}

struct tessera_row row_of_weights(const uint64_t *weights, size_t vocab)
{
    struct tessera_row row = row_of(vocab);

    for (size_t i = 0; i < vocab; i++)
        row.ranked[i] =
            (struct tessera_ranked){-(float)i, (int32_t)i, weights[i]};
    row.in = vocab;
    row.kept = vocab;
    return row;
}

uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}
