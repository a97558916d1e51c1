/*
 * order.c - the order is total
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

Test(order, ranks_by_logit_and_equal_ones_by_id)
{
    struct tessera_row row = LOGITS(1, 3, -INFINITY, 3, 2, 3);
    static const int32_t expected[] = {1, 3, 5, 4, 0};

    tessera_order(&row);
    cr_assert(eq(sz, row.in, 5));
    cr_assert(eq(sz, row.kept, 5));
    for (size_t i = 0; i < 5; i++)
        cr_assert(eq(i32, row.ranked[i].token, expected[i]));
}

Test(order, counts_nothing_when_every_token_is_out)
{
    struct tessera_row row = LOGITS(-INFINITY, -INFINITY);

    tessera_order(&row);
    cr_assert(eq(sz, row.in, 0));
}

Test(order, infinity_is_the_largest_float)
{
    struct tessera_row row = LOGITS(FLT_MAX, INFINITY, -FLT_MAX);

    tessera_order(&row);
    cr_assert(eq(sz, row.in, 3));
    cr_assert(eq(i32, row.ranked[0].token, 0));
    cr_assert(row.ranked[1].x == FLT_MAX);
}

/* -0 + -0 later would print as -0 and differ in its bits. */
Test(order, minus_zero_becomes_plus_zero)
{
    struct tessera_row row = LOGITS(-0.0f, 0.0f);

    tessera_order(&row);
    cr_assert(eq(i32, row.ranked[0].token, 0));
    cr_assert(bits_of(row.ranked[0].x) == 0);
}

static int by_definition(const void *a, const void *b)
{
    const struct tessera_ranked *first = a;
    const struct tessera_ranked *second = b;

    if (first->x != second->x)
        return first->x > second->x ? -1 : 1;
    return first->token < second->token ? -1 : 1;
}

/* Every size up to 130 meets every shape of a last, short run; few values make
 * many ties. */
Test(order, agrees_with_the_c_library_at_every_size)
{
    uint32_t state = 1;

    for (size_t vocab = 1; vocab <= 130; vocab++) {
        float logits[130];
        struct tessera_ranked expected[130];

        for (size_t token = 0; token < vocab; token++) {
            state = state * 1664525 + 1013904223;
            logits[token] = (float)(state >> 24 & 15) - 8.0f;
            expected[token] =
                (struct tessera_ranked){logits[token], (int32_t)token, 0};
        }
        qsort(expected, vocab, sizeof(*expected), by_definition);

        struct tessera_row row = row_of_logits(logits, vocab);
        tessera_order(&row);
        for (size_t i = 0; i < vocab; i++)
            cr_assert(row.ranked[i].token == expected[i].token,
                      "vocab %zu place %zu", vocab, i);
    }
}
