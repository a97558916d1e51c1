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

/* Computed with exact fractions, each fma rounded once.  These are sums at
 * which the last bit changes when a coefficient of the series does, and the
 * last sum that is not halved, with the first that is. */
Test(logprobs, have_every_bit_of_the_contracts_series)
{
    static const struct {
        uint64_t sum;
        double logarithm;
    } known[] = {
        {UINT64_C(0x17cb484bafd), 0x1.965f4181214c8p-2},
        {UINT64_C(0x174191ff144), 0x1.7ef4aa842393ap-2},
        {UINT64_C(0x16111e68164), 0x1.493453dc052c8p-2},
        {UINT64_C(0x16af6cf1051), 0x1.658169604796ap-2},
        {UINT64_C(0x16ad97d8624), 0x1.652eaf49d399ep-2},
        {UINT64_C(0x16a0a2112ed), 0x1.62e4d5dfaaba1p-2},
        {UINT64_C(0x1759b1fc17f), 0x1.8318c6680cb51p-2},
        {UINT64_C(0x16a09e667f3bcd), 0x1.1542457337c46p+3},
        {UINT64_C(0x16a09e667f3bce), 0x1.1542457337e40p+3},
    };

    for (size_t i = 0; i < COUNT_OF(known); i++)
        cr_assert(tessera_log_sum(known[i].sum) == known[i].logarithm,
                  "sum %#" PRIx64 ": %a", known[i].sum,
                  tessera_log_sum(known[i].sum));
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
