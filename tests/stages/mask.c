/*
 * mask.c - masks and bans take tokens out
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

Test(mask, takes_out_what_it_does_not_allow)
{
    struct tessera_row row = LOGITS(5, 6, 7);
    uint32_t mask = 5;

    tessera_mask(&row, &mask, NULL, 0);
    cr_assert(row.x[0] == 5.0f);
    cr_assert(row.x[1] == -INFINITY);
    cr_assert(row.x[2] == 7.0f);
}

/* Token 33 is bit 1 of word 1; bits past the vocabulary are set at will. */
Test(mask, finds_a_token_in_the_second_word)
{
    float logits[34] = {0};
    struct tessera_row row = row_of_logits(logits, 34);
    uint32_t mask[2] = {0, 0xfffffffe};

    tessera_mask(&row, mask, NULL, 0);
    for (int token = 0; token < 33; token++)
        cr_assert(row.x[token] == -INFINITY, "token %d", token);
    cr_assert(row.x[33] == 0.0f);
}

/* Token 32 is bit 0 of word 1, and the first that word 0 does not hold. */
Test(mask, finds_the_first_token_of_a_word)
{
    float logits[65] = {0};
    struct tessera_row row = row_of_logits(logits, 65);
    uint32_t mask[3] = {0, 1, 1};

    tessera_mask(&row, mask, NULL, 0);
    for (int token = 0; token < 65; token++) {
        bool in = token == 32 || token == 64;

        cr_assert(row.x[token] == (in ? 0.0f : -INFINITY), "token %d", token);
    }
}

Test(mask, bans_every_token_listed)
{
    struct tessera_row row = LOGITS(5, 6, 7);
    int32_t bans[2] = {2, 0};

    tessera_mask(&row, NULL, bans, 2);
    cr_assert(row.x[0] == -INFINITY);
    cr_assert(row.x[1] == 6.0f);
    cr_assert(row.x[2] == -INFINITY);
    cr_assert(not(row.nan));
}

Test(mask, bans_a_token_however_often_it_is_listed)
{
    struct tessera_row row = LOGITS(5, 6, 7);
    int32_t bans[3] = {1, 1, 1};

    tessera_mask(&row, NULL, bans, 3);
    cr_assert(row.x[0] == 5.0f);
    cr_assert(row.x[1] == -INFINITY);
    cr_assert(row.x[2] == 7.0f);
}

Test(mask, a_nan_that_is_left_in_is_out_and_noted)
{
    struct tessera_row row = LOGITS(5, NAN, 7);

    tessera_mask(&row, NULL, NULL, 0);
    cr_assert(row.nan);
    cr_assert(row.x[1] == -INFINITY);
}

Test(mask, a_nan_at_the_first_token_is_noted)
{
    struct tessera_row row = LOGITS(NAN, 5);

    tessera_mask(&row, NULL, NULL, 0);
    cr_assert(row.nan);
    cr_assert(row.x[0] == -INFINITY);
}

Test(mask, a_nan_that_mask_or_bans_remove_is_not_noted)
{
    struct tessera_row row = LOGITS(5, NAN, NAN);
    uint32_t mask = 5;
    int32_t bans[1] = {2};

    tessera_mask(&row, &mask, bans, 1);
    cr_assert(not(row.nan));
    cr_assert(row.x[0] == 5.0f);
}
