/*
 * bias.c - bias moves single logits
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

static struct tessera_row biased(struct tessera_row row, int32_t token,
                                 float value)
{
    struct tessera_bias bias = {token, value};

    tessera_bias(&row, &bias, 1);
    return row;
}

Test(bias, adds_to_its_token_and_no_other)
{
    struct tessera_row row = biased(LOGITS(1, 2, 3), 1, 0.5f);

    cr_assert(row.x[0] == 1.0f);
    cr_assert(row.x[1] == 2.5f);
    cr_assert(row.x[2] == 3.0f);
}

Test(bias, adds_to_each_of_its_tokens)
{
    struct tessera_row row = LOGITS(1, 2, 3);
    static const struct tessera_bias biases[] = {{0, 4}, {2, -8}};

    tessera_bias(&row, biases, 2);
    cr_assert(row.x[0] == 5.0f);
    cr_assert(row.x[1] == 2.0f);
    cr_assert(row.x[2] == -5.0f);
}

Test(bias, brings_no_token_back)
{
    struct tessera_row row = biased(LOGITS(-INFINITY, 2), 0, 1e30f);

    cr_assert(row.x[0] == -INFINITY);
}

/* +inf + -inf would be a NaN. */
Test(bias, of_minus_infinity_bans_even_a_token_at_infinity)
{
    struct tessera_row row = biased(LOGITS(INFINITY, 2), 0, -INFINITY);

    cr_assert(row.x[0] == -INFINITY);
}

Test(bias, may_overflow_a_token_out)
{
    struct tessera_row row =
        biased(LOGITS(-0x1.fffffep127f, 2), 0, -0x1.fffffep127f);

    cr_assert(row.x[0] == -INFINITY);
}
