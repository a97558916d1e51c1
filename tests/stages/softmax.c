/*
 * softmax.c - the denominator is an integer sum
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

Test(softmax, sums_what_is_kept)
{
    struct tessera_row row = WEIGHTS(8, 4, 2, 1);

    cr_assert(eq(u64, tessera_softmax(&row), 15));
    row.kept = 2;
    cr_assert(eq(u64, tessera_softmax(&row), 12));
}

Test(softmax, holds_the_largest_row)
{
    size_t vocab = TESSERA_MAX_VOCAB;
    uint64_t *weights = malloc(vocab * sizeof(*weights));

    for (size_t i = 0; i < vocab; i++)
        weights[i] = TESSERA_WEIGHT_ONE;
    struct tessera_row row = row_of_weights(weights, vocab);
    cr_assert(eq(u64, tessera_softmax(&row), UINT64_C(1) << 62));
}
