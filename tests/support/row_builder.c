/*
 * row_builder.c - rows for the tests of single stages
 */

#include "row_builder.h"

#include <stdlib.h>
#include <string.h>

static void *poisoned(size_t bytes)
{
    void *memory = malloc(bytes);

    if (!memory)
        abort();
    return memset(memory, 0xa5, bytes);
}

static struct tessera_row row_of(size_t vocab)
{
    return (struct tessera_row){
        .vocab = (int32_t)vocab,
        .nan = true,
        .x = poisoned(vocab * sizeof(float)),
        .weight_up_to = poisoned(vocab * sizeof(uint64_t)),
        .ranked = poisoned(vocab * sizeof(struct tessera_ranked)),
        .in = SIZE_MAX,
        .kept = SIZE_MAX,
        .scratch = poisoned(vocab * sizeof(struct tessera_ranked)),
    };
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
