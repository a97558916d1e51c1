/*
 * top_k.c - exactly the k best are kept
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static size_t kept_with(int32_t k)
{
    struct tessera_row row = WEIGHTS(4, 3, 3, 0, 0);

    tessera_top_k(&row, k);
    return row.kept;
}

Test(top_k, keeps_k)
{
    cr_assert(eq(sz, kept_with(1), 1));
    cr_assert(eq(sz, kept_with(2), 2));
    cr_assert(eq(sz, kept_with(4), 4)); /* weight 0 counts here */
}

Test(top_k, is_off_at_0_and_minus_1)
{
    cr_assert(eq(sz, kept_with(0), 5));
    cr_assert(eq(sz, kept_with(-1), 5));
}

Test(top_k, is_off_from_the_number_of_tokens_on)
{
    cr_assert(eq(sz, kept_with(5), 5));
    cr_assert(eq(sz, kept_with(6), 5));
    cr_assert(eq(sz, kept_with(INT32_MAX), 5));
}
