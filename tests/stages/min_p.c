/*
 * min_p.c - the threshold is a share of the best token's weight
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

static const uint64_t one = TESSERA_WEIGHT_ONE;

static size_t kept_with(struct tessera_row row, float q)
{
    tessera_min_p(&row, q);
    return row.kept;
}

Test(min_p, keeps_a_token_at_the_threshold)
{
    cr_assert(eq(sz, kept_with(WEIGHTS(one, one / 2, one / 2 - 1), 0.5f), 2));
}

Test(min_p, of_1_keeps_every_best_token)
{
    cr_assert(eq(sz, kept_with(WEIGHTS(one, one, one - 1), 1.0f), 2));
}

Test(min_p, of_0_drops_tokens_of_weight_0)
{
    cr_assert(eq(sz, kept_with(WEIGHTS(one, 1, 0, 0), 0.0f), 2));
}

/* q * 2^40 is rounded up: 2^-41 is half a unit, and the threshold 1. */
Test(min_p, rounds_the_threshold_up)
{
    cr_assert(eq(sz, kept_with(WEIGHTS(one, 2, 1), 0x1p-41f), 3));
    cr_assert(eq(sz, kept_with(WEIGHTS(one, 2, 1), 0x1.8p-40f), 2));
    cr_assert(eq(sz, kept_with(WEIGHTS(one, 2, 1), 0x1p-149f), 3));
}
