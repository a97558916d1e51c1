/*
 * thresholds.c - how the shares of top_p and min_p are rounded, by rows whose
 * answer hangs on it
 */

#include "case_check.h"

#include <criterion/criterion.h>

/* P is p * 2^32 rounded to nearest even.  Of 4096 equal tokens the second stays
 * when P is above 2^20. */
Test(thresholds, top_p_is_rounded_to_32_bits_half_to_even)
{
    enum { VOCAB = 4096 };
    static const float zeros[VOCAB];
    struct test_row row = row_of(TESSERA_FLOAT32, VOCAB, zeros);

    row.params.top_p = 0x1.00000cp-12f; /* 2^20 + 3/4 */
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = 2 * ONE);
    row.params.top_p = 0x1.000008p-12f; /* 2^20 + 1/2 */
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE);
    row.params.top_p = 0x1.000004p-12f; /* 2^20 + 1/4 */
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE);
}

/* Even the largest p below 1 is no "off": it leaves out a share of 2^-30. */
Test(thresholds, the_largest_top_p_below_1_is_on)
{
    struct test_row row = ROW(0, -30);

    row.params.temperature = UNIT_TEMPERATURE;
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = ONE + 1024);
    row.params.top_p = 0x1.fffffep-1f;
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE, .draws = ALWAYS(0));
}

/* The threshold is q * 2^40 rounded up; a weight equal to it stays. */
Test(thresholds, min_p_is_rounded_up)
{
    struct test_row row = ROW(0, -20);

    row.params.temperature = UNIT_TEMPERATURE;
    row.params.min_p = 0x1p-20f;
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = ONE + (1 << 20));
    row.params.min_p = 0x1.000002p-20f; /* 2^20 + 1/8 */
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE);
}

/* A weight of 1 can be drawn, one of 0 is not kept: d * c is -40, and less. */
Test(thresholds, tokens_of_weight_1_are_kept_and_of_weight_0_are_not)
{
    struct test_row row = ROW(0, -40, -41);

    row.params.temperature = UNIT_TEMPERATURE;
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = ONE + 1);
    row.params.top_k = 3;
    row.params.top_p = 1;
    row.params.min_p = 1e-45f;
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = ONE + 1);
}

/* Token i, of 32767 that weigh 1, holds target i and no other, so that every
 * target equals the sum up to the token before.  These steps draw among them,
 * which one in thirty million does. */
Test(thresholds, a_target_equal_to_a_running_sum_draws_the_next_token)
{
    enum { LIGHT = 32767 };
    static const struct {
        uint64_t step;
        int32_t token;
    } draws[] = {{25077234, 31540},
                 {26967075, 3300},
                 {72943251, 30235},
                 {85359727, 3049}};
    static float logits[LIGHT + 1];

    for (int i = 0; i < LIGHT; i++)
        logits[i] = -40;
    struct test_row row = row_of(TESSERA_FLOAT32, LIGHT + 1, logits);
    row.params.temperature = UNIT_TEMPERATURE;
    for (size_t i = 0; i < sizeof(draws) / sizeof(draws[0]); i++) {
        row.params.step = draws[i].step;
        EXPECT(row, .n_kept = LIGHT + 1, .weight_sum = ONE + LIGHT,
               .draws = IDS(draws[i].token));
    }
}
