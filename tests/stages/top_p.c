/*
 * top_p.c - the nucleus holds p, and no token more
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

static size_t kept_with(struct tessera_row row, float p)
{
    tessera_top_p(&row, p);
    return row.kept;
}

/* 4 of 10 is less than half; 4 + 3 crosses it. */
Test(top_p, keeps_the_token_that_crosses_p)
{
    cr_assert(eq(sz, kept_with(WEIGHTS(4, 3, 2, 1), 0.5f), 2));
}

Test(top_p, stops_where_the_sum_is_exactly_p)
{
    cr_assert(eq(sz, kept_with(WEIGHTS(8, 4, 2, 1, 1), 0.75f), 2));
    cr_assert(
        eq(sz, kept_with(WEIGHTS(8, 4, 2, 1, 1), nextafterf(0.75f, 1)), 3));
}

Test(top_p, keeps_one_token_at_0)
{
    cr_assert(eq(sz, kept_with(WEIGHTS(4, 3, 2, 1), 0.0f), 1));
}

Test(top_p, is_off_at_1)
{
    cr_assert(eq(sz, kept_with(WEIGHTS(4, 3, 2, 0), 1.0f), 4));
}

/* p is 1 - 2^-24: the best token holds 1 - 2^-40 of the first row, more than
 * p, and about 1 - 2^-20 of the second, less. */
Test(top_p, just_below_1_drops_a_tail_that_weighs_less)
{
    uint64_t one = TESSERA_WEIGHT_ONE;

    cr_assert(eq(sz, kept_with(WEIGHTS(one, 1), 0x1.fffffep-1f), 1));
    cr_assert(eq(sz, kept_with(WEIGHTS(one, one >> 20), 0x1.fffffep-1f), 2));
}

/* P is rounded to nearest even: of half steps, 1/2 goes down, 3/2 up and 5/2
 * down.  Each row's total is such that the second token stays from the larger
 * of the two P in question on. */
Test(top_p, rounds_p_to_32_bits_to_nearest_even)
{
    uint64_t one = UINT64_C(1) << 32;

    cr_assert(eq(sz, kept_with(WEIGHTS(1, one), 0x1p-33f), 1));
    cr_assert(eq(sz, kept_with(WEIGHTS(1, one), 0x1.000002p-33f), 2));
    cr_assert(eq(sz, kept_with(WEIGHTS(1, one / 4 * 3), 0x1.8p-32f), 2));
    cr_assert(eq(sz, kept_with(WEIGHTS(1, one / 4 * 3), 0x1.7ffffep-32f), 1));
    cr_assert(eq(sz, kept_with(WEIGHTS(1, one / 2 - 1), 0x1.4p-31f), 1));
    cr_assert(eq(sz, kept_with(WEIGHTS(1, one / 2 - 1), 0x1.400002p-31f), 2));
}

Test(top_p, measures_what_is_kept_so_far)
{
    struct tessera_row row = WEIGHTS(8, 4, 2, 1, 1);

    row.kept = 2;
    cr_assert(eq(sz, kept_with(row, 0.66f), 1)); /* 8 of 12 */
    cr_assert(eq(sz, kept_with(row, 0.67f), 2));
}

/* P * total needs more than 64 bits here. */
Test(top_p, does_not_overflow_at_the_largest_sum)
{
    struct tessera_row row = WEIGHTS(UINT64_C(1) << 61, UINT64_C(1) << 61);

    cr_assert(eq(sz, kept_with(row, 0x1.fffffep-1f), 2));
    cr_assert(eq(sz, kept_with(row, 0.5f), 1));
}
