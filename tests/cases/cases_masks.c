/*
 * cases_masks.c - public faults of masks, bans and empty rows
 */

#include "case_check.h"

#include <criterion/criterion.h>

#include <math.h>

/* MASK-01, vllm#57986: an allow list and a ban list with no common token
 * produced id 0 and a success code. */
Test(cases_masks, a_row_with_nothing_left_is_empty_and_not_token_0)
{
    static const uint32_t allow_1[] = {0x2};
    struct test_row rows[] = {ROW(1, 2, 3), ROW(1, 2, 3)};
    const struct answer answers[] = {
        {.status = TESSERA_ROW_EMPTY, .draws = ALWAYS(-1)},
        {.kept = IDS(0, 1, 2), .draws = IDS(2, 2, 2, 2, 1, 1, 1, 2)},
    };

    rows[0].mask = allow_1;
    rows[0].bans = IDS(1);
    EXPECT_BATCH(rows, answers);
}

/* MASK-02, vllm#22896: unconstrained rows received a mask of zeros and printed
 * id 0 for ever. */
Test(cases_masks, rows_without_a_mask_stand_beside_rows_with_one)
{
    static const uint32_t allow_1_3[] = {0xa};
    struct test_row masked = ROW(0, 1, 2, 3, 4);
    struct test_row rows[] = {masked, masked};
    const struct answer answers[] = {
        {.kept = IDS(1, 3),
         .weight_sum = 1248314327040,
         .draws = IDS(3, 3, 3, 3, 3, 3, 3, 3)},
        {.kept = IDS(0, 1, 2, 3, 4),
         .weight_sum = 1727681843200,
         .draws = IDS(4, 4, 4, 4, 3, 3, 3, 3)},
    };
    const struct answer swapped[] = {answers[1], answers[0]};

    rows[0].mask = allow_1_3;
    EXPECT_BATCH(rows, answers);

    rows[1].mask = allow_1_3;
    rows[0].mask = NULL;
    EXPECT_BATCH(rows, swapped);
}

/* MASK-03, xgrammar#611: mask and logits had different widths, and ids beyond
 * the tokenizer were sampled.  Bit 1, and bits 40-63 of a row of 40. */
Test(cases_masks, bits_past_vocab_say_nothing)
{
    static const uint32_t mask[] = {0x00000002, 0xffffff00};
    static const uint64_t seeds[] = {0, 1, 42, UINT64_C(1) << 63, UINT64_MAX};
    float logits[40] = {0};

    logits[39] = 9;
    struct test_row row = row_of(TESSERA_FLOAT32, 40, logits);
    row.mask = mask;
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
        row.params.seed = seeds[i];
        EXPECT(row, .kept = IDS(1), .weight_sum = ONE, .draws = ALWAYS(1));
    }
}

/* MASK-04, llama.cpp#12643: the filters ran on the unmasked row, so only
 * banned tokens were left, or the shares were wrong: there top_p 0.6 stops at
 * id 1. */
Test(cases_masks, mask_and_bans_come_before_top_k_and_top_p)
{
    static const uint32_t without_0_1[] = {0x1c};
    struct test_row row = ROW(5, 4, 3, 2, 1);

    row.params.temperature = UNIT_TEMPERATURE;
    for (int i = 0; i < 4; i++) {
        bool by_mask = i / 2;

        row.bans = by_mask ? (struct id_list){NULL, 0} : IDS(0, 1);
        row.mask = by_mask ? without_0_1 : NULL;
        row.params.top_k = i % 2 ? 0 : 2;
        row.params.top_p = i % 2 ? 0.6f : 1;
        EXPECT(row, .kept = IDS(2, 3), .weight_sum = 3 * ONE / 2,
               .draws = IDS(2, 3, 3, 3, 2, 2, 2, 2));
    }
}

/* MASK-05, llama.cpp#19699: a token that the request had banned was still
 * generated. */
Test(cases_masks, no_bias_brings_a_banned_token_back)
{
    static const uint32_t without_0[] = {0x6};
    struct test_row row = ROW(1, -INFINITY, 0);

    row.bias = BIASES({0, 50}, {1, 100});
    row.bans = IDS(0);
    EXPECT(row, .kept = IDS(2), .weight_sum = ONE, .draws = ALWAYS(2));
    row.bans = (struct id_list){NULL, 0};
    row.mask = without_0;
    EXPECT(row, .kept = IDS(2), .weight_sum = ONE, .draws = ALWAYS(2));
}

/* MASK-05 (b), (c): a bias of -inf bans, even where +inf + -inf is a NaN, which
 * may sort to the front or to the back. */
Test(cases_masks, a_bias_of_minus_infinity_bans)
{
    struct test_row row = ROW(1, 5, 0);

    row.bias = BIASES({1, -INFINITY});
    EXPECT(row, .kept = IDS(0, 2), .weight_sum = 1503999426560,
           .draws = IDS(0, 2, 2, 0, 0, 0, 0, 0));

    row = ROW(INFINITY, 0);
    row.bias = BIASES({0, -INFINITY});
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(1), .weight_sum = ONE, .draws = ALWAYS(1));
    row.params.temperature = 1;
    EXPECT(row, .kept = IDS(1), .weight_sum = ONE, .draws = ALWAYS(1));

    row = ROW(0, INFINITY);
    row.bias = BIASES({1, -INFINITY});
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE, .draws = ALWAYS(0));
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE, .draws = ALWAYS(0));
}
