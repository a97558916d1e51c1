/*
 * draw.c - the token that holds the target
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static int32_t drawn(struct tessera_row row, uint64_t target)
{
    tessera_lay_out(&row);
    return tessera_draw(&row, target);
}

/* Widths 3, 0, 2: targets 0 to 2, then 3 and 4. */
Test(draw, gives_each_token_as_many_targets_as_its_weight)
{
    struct tessera_row row = WEIGHTS(3, 0, 2);
    static const int32_t expected[] = {0, 0, 0, 2, 2};

    for (uint64_t target = 0; target < 5; target++)
        cr_assert(eq(i32, drawn(row, target), expected[target]));
}

/* Rank 0 is token 2, rank 1 is token 0: by rank, target 0 would be token 2. */
Test(draw, walks_in_the_order_of_ids_and_not_of_ranks)
{
    struct tessera_row row = WEIGHTS(3, 2, 1);

    row.ranked[0].token = 2;
    row.ranked[1].token = 0;
    row.ranked[2].token = 1;
    cr_assert(eq(i32, drawn(row, 0), 0));
    cr_assert(eq(i32, drawn(row, 2), 1));
    cr_assert(eq(i32, drawn(row, 3), 2));
}

Test(draw, passes_over_what_is_not_kept)
{
    struct tessera_row row = WEIGHTS(3, 2, 1, 5);

    row.kept = 2;
    for (uint64_t target = 0; target < 5; target++)
        cr_assert(eq(i32, drawn(row, target), target < 3 ? 0 : 1));
}

/* Tokens 3 and 1 are kept, with nothing at 0 and 2 before them. */
Test(draw, gives_no_target_to_what_is_not_kept)
{
    struct tessera_row row = WEIGHTS(3, 2, 1, 5);
    static const int32_t expected[] = {1, 1, 3, 3, 3};

    row.ranked[0].token = 3;
    row.ranked[1].token = 1;
    row.kept = 2;
    for (uint64_t target = 0; target < 5; target++)
        cr_assert(eq(i32, drawn(row, target), expected[target]));
}

/* The random number scales to [0, sum) with all of its 64 bits. */
Test(draw, the_largest_random_number_stays_below_the_sum)
{
    cr_assert(eq(u64, tessera_draw_target(UINT64_MAX, 1), 0));
    cr_assert(eq(u64, tessera_draw_target(UINT64_MAX, 5), 4));
    cr_assert(eq(u64, tessera_draw_target(UINT64_MAX, UINT64_C(1) << 62),
                 (UINT64_C(1) << 62) - 1));
    cr_assert(eq(u64, tessera_draw_target(0, UINT64_C(1) << 62), 0));
}

Test(draw, every_bit_of_the_random_number_counts)
{
    uint64_t sum = UINT64_C(1) << 62;

    cr_assert(eq(u64, tessera_draw_target(3, sum), 0));
    cr_assert(eq(u64, tessera_draw_target(4, sum), 1));
    cr_assert(eq(u64, tessera_draw_target(7, sum), 1));
    cr_assert(eq(u64, tessera_draw_target(UINT64_C(1) << 32, sum),
                 UINT64_C(1) << 30));
    /* One below and at a multiple of 2^64 / 3. */
    cr_assert(eq(u64, tessera_draw_target(0x5555555555555555, 3), 0));
    cr_assert(eq(u64, tessera_draw_target(0x5555555555555556, 3), 1));
}

Test(draw, a_target_on_a_running_sum_belongs_to_the_next_token)
{
    uint64_t one = TESSERA_WEIGHT_ONE;
    struct tessera_row row = WEIGHTS(one, one, one, one);

    cr_assert(eq(i32, drawn(row, one - 1), 0));
    cr_assert(eq(i32, drawn(row, one), 1));
    cr_assert(eq(i32, drawn(row, 2 * one - 1), 1));
    cr_assert(eq(i32, drawn(row, 2 * one), 2));
    cr_assert(eq(i32, drawn(row, 4 * one - 1), 3));
}

Test(draw, takes_the_first_two_words_of_its_step)
{
    cr_assert(eq(u64, tessera_random(42, 0, 0), 0x9ceaf05377f5493b));
    cr_assert(eq(u64, tessera_random(42, 0, 1), 0xfcdb212753ba6cfd));
}
