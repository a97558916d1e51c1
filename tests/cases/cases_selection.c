/*
 * cases_selection.c - public faults of selection and ties
 */

#include "case_check.h"

#include <criterion/criterion.h>

#include <stdlib.h>

/* SEL-01, vllm#50979: one path kept every token equal to the k-th value and
 * another exactly k, so a request changed with its batch size. */
Test(cases_selection, ties_at_the_kth_place_go_to_lower_ids)
{
    struct test_row row = ROW(3, 2, 2, 2, 1);

    row.params.top_k = 2;
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = 1503999426560,
           .draws = IDS(0, 1, 1, 0, 0, 0, 0, 0));
}

/* SEL-01 again: the batch of 512 in which the answer changed. */
Test(cases_selection, ties_at_the_kth_place_are_the_same_in_a_batch_of_512)
{
    static const int32_t draws[] = {0, 1, 1, 0, 0, 0, 0, 0};
    enum { BATCH = 512 };
    struct test_row *rows = malloc(BATCH * sizeof(*rows));
    struct row_result *results = malloc(BATCH * sizeof(*results));
    const struct layout layouts[] = {{0}, {.shared = true}};
    struct test_row row = ROW(3, 2, 2, 2, 1);

    row.params.top_k = 2;
    for (size_t i = 0; i < BATCH; i++) {
        rows[i] = row;
        rows[i].params.step = i % STEPS;
    }
    for (EACH_BACKEND(backend))
        for (size_t shared = 0; shared < 2; shared++) {
            run_rows(backend, rows, BATCH, &layouts[shared], results);
            for (size_t i = 0; i < BATCH; i++)
                cr_assert(results[i].token == draws[i % STEPS] &&
                              results[i].n_kept == 2 &&
                              results[i].weight_sum == 1503999426560 &&
                              results[i].status == TESSERA_ROW_OK,
                          "%s, row %zu: token %d of %d kept", backend->name, i,
                          results[i].token, results[i].n_kept);
        }
    free(rows);
    free(results);
}

/* SEL-02, flashinfer#3774: boundary tests looked at the value only, so ties
 * made the support larger than asked. */
Test(cases_selection, ties_under_top_k_and_top_p_together)
{
    struct test_row row = ROW(1, 1, 1, 1, 1, 1);

    row.params.top_k = 4;
    row.params.top_p = 0.5f;
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = 2 * ONE,
           .draws = IDS(1, 1, 1, 1, 0, 0, 0, 0));
    row.params.top_p = 1; /* top-k on its own leaves 0-3 */
    EXPECT(row, .kept = IDS(0, 1, 2, 3), .weight_sum = 4 * ONE);
}

/* SEL-03, llama.cpp#17004 and transformers#19839: a device path took the last
 * of two equal maxima and the host path the first; elsewhere top_p 0 left no
 * token at all. */
Test(cases_selection, four_ways_to_ask_for_greedy_agree_on_a_tie)
{
    static const uint64_t seeds[] = {0, 42, UINT64_MAX};
    static const uint64_t steps[] = {0, 1000000};

    for (size_t i = 0; i < 6; i++) {
        struct test_row ways[] = {ROW(1, 3, 3, 2), ROW(1, 3, 3, 2),
                                  ROW(1, 3, 3, 2), ROW(1, 3, 3, 2)};

        ways[0].params.temperature = 0;
        ways[1].params.top_k = 1;
        ways[2].params.top_p = 0;
        ways[3].params.top_p = 1e-6f;
        for (size_t way = 0; way < 4; way++) {
            ways[way].params.seed = seeds[i % 3];
            ways[way].params.step = steps[i / 3];
            EXPECT(ways[way], .kept = IDS(1), .weight_sum = ONE,
                   .draws = ALWAYS(1));
        }
    }
}

/* SEL-04, cub#218: a radix sort on the raw bits put -0 and +0 in different
 * places. */
Test(cases_selection, signed_zeros_are_equal)
{
    struct test_row rows[] = {ROW(-1, -0.0f, +0.0f, -2),
                              ROW(-1, +0.0f, -0.0f, -2)};

    for (size_t i = 0; i < 2; i++) {
        rows[i].params.temperature = 0;
        EXPECT(rows[i], .kept = IDS(1), .weight_sum = ONE, .draws = ALWAYS(1));
        rows[i].params.temperature = UNIT_TEMPERATURE;
        rows[i].params.top_k = 2;
        EXPECT(rows[i], .kept = IDS(1, 2), .weight_sum = 2 * ONE,
               .draws = IDS(2, 2, 2, 2, 1, 1, 1, 1));
    }
}

/* SEL-05, vllm#51782: a histogram top-k dropped true candidates when a narrow
 * row filled one bin.  Each logit is one ulp above the last. */
Test(cases_selection, many_distinct_values_in_one_coarse_bin)
{
    enum { VOCAB = 20000 };
    static float rising[VOCAB];
    static float falling[VOCAB];

    for (int i = 0; i < VOCAB; i++) {
        rising[i] = 1 + (float)i * 0x1p-23f;
        falling[VOCAB - 1 - i] = rising[i];
    }
    struct test_row row = row_of(TESSERA_FLOAT32, VOCAB, rising);
    row.params.top_k = 7;
    EXPECT(row, .kept = IDS(19993, 19994, 19995, 19996, 19997, 19998, 19999),
           .weight_sum = 7696578248704,
           .draws =
               IDS(19997, 19999, 19998, 19998, 19995, 19995, 19994, 19995));
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(19999), .weight_sum = ONE, .draws = ALWAYS(19999));

    row = row_of(TESSERA_FLOAT32, VOCAB, falling);
    row.params.top_k = 7;
    EXPECT(row, .kept = IDS(0, 1, 2, 3, 4, 5, 6), .weight_sum = 7696578248704,
           .draws = IDS(4, 6, 5, 5, 2, 2, 1, 2));
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE, .draws = ALWAYS(0));
}
