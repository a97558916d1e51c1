/*
 * logprobs.c - log-probabilities are defined to the bit
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <math.h>

/* The contract's known answers. */
Test(logprobs, give_the_known_logarithms)
{
    cr_assert(tessera_log_sum(1) == -0x1.bb9d3beb8c86bp+4);
    cr_assert(tessera_log_sum(UINT64_C(1) << 40) == 0.0);
    cr_assert(tessera_log_sum(UINT64_C(3) << 39) == 0x1.9f323ecbf9a4fp-2);
}

/* A sum of 2^62 - 1 rounds up to 2^62 as a binary64. */
Test(logprobs, are_within_1e_minus_12_of_the_logarithm)
{
    uint64_t sum = 1;

    for (int i = 0; i < 20000; i++) {
        double exact = log((double)sum) - 40 * log(2.0);
        cr_assert(fabs(tessera_log_sum(sum) - exact) < 1e-12, "sum %" PRIu64,
                  sum);
        sum = sum * 25214903917 + 11;
        sum = sum >> (i % 62) & ((UINT64_C(1) << 62) - 1);
        sum += sum == 0;
    }
    cr_assert(tessera_log_sum((UINT64_C(1) << 62) - 1) ==
              tessera_log_sum(UINT64_C(1) << 62));
}

Test(logprobs, of_the_only_token_are_0)
{
    cr_assert(tessera_logprob(3.0f, 3.0f, 1.0f,
                              tessera_log_sum(TESSERA_WEIGHT_ONE)) == 0.0f);
}

/* (0 - 1e6f) is exact; 0.1f - 3 is not, and rounds to binary32 first. */
Test(logprobs, round_the_distance_to_binary32_first)
{
    volatile float distance = 0.1f - 3.0f;

    cr_assert(tessera_logprob(0.1f, 3.0f, 0.7f, 0.25) ==
              (float)((double)distance / (double)0.7f - 0.25));
}

Test(logprobs, rank_is_the_place_in_the_order)
{
    struct tessera_row row = LOGITS(5, 9, 5, -INFINITY);

    tessera_order(&row);
    cr_assert(eq(i32, tessera_rank(&row, 1), 1));
    cr_assert(eq(i32, tessera_rank(&row, 0), 2));
    cr_assert(eq(i32, tessera_rank(&row, 2), 3));
}
