/*
 * cases_filters.c - public faults of the filters and their order
 */

#include "case_check.h"
#include "oracle.h"

#include <criterion/criterion.h>

#include <stdlib.h>

/* Probabilities 1/2, 1/4, 1/8, 1/16, 1/16: the row of FIL-01. */
static struct test_row halving_row(void)
{
    static const float logits[] = {0, -1, -2, -3, -3};
    struct test_row row = row_of(TESSERA_FLOAT32, 5, logits);

    row.params.temperature = UNIT_TEMPERATURE;
    return row;
}

/* FIL-01, fish-speech#1171: the removal mask was one place early, and the
 * nucleus held less than p: {0} only. */
Test(cases_filters, the_token_that_crosses_top_p_stays)
{
    struct test_row row = halving_row();

    row.params.top_p = 0.6f;
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = 3 * ONE / 2,
           .draws = IDS(0, 1, 1, 1, 0, 0, 0, 0));
}

/* FIL-02, transformers#18976: a comparison in the wrong direction kept one
 * token too many when the sum equals p. */
Test(cases_filters, top_p_on_a_boundary_stops_there)
{
    struct test_row row = halving_row();

    row.params.top_p = 0.75f;
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = 3 * ONE / 2);
    row.params.top_p = 0x1.800002p-1f; /* the binary32 after 0.75 */
    EXPECT(row, .kept = IDS(0, 1, 2), .weight_sum = 7 * ONE / 4);
}

/* FIL-02: ln of 0.3, 0.1, 0.1, 0.5. */
Test(cases_filters, top_p_on_a_boundary_of_rounded_logarithms_stops_there)
{
    struct test_row row =
        ROW(-0x1.343790p+0f, -0x1.26bb1cp+1f, -0x1.26bb1cp+1f, -0x1.62e430p-1f);

    row.params.top_p = 0.8f;
    EXPECT(row, .kept = IDS(0, 3), .weight_sum = 1759218761728,
           .draws = IDS(3, 3, 3, 3, 0, 0, 0, 0));
}

/* FIL-03, llama-cpp-python#220 and vllm#1748: top_k 0 was taken as one token
 * and made every draw greedy. */
Test(cases_filters, top_k_of_0_or_of_minus_1_or_above_vocab_is_off)
{
    static const int32_t off[] = {0, -1, 5, INT32_MAX};
    struct test_row row = halving_row();

    for (size_t i = 0; i < 4; i++) {
        row.params.top_k = off[i];
        EXPECT(row, .kept = IDS(0, 1, 2, 3, 4), .weight_sum = 2 * ONE,
               .draws = IDS(1, 4, 2, 1, 0, 0, 0, 0));
    }
    row.params.top_k = 4;
    EXPECT(row, .kept = IDS(0, 1, 2, 3), .weight_sum = 15 * ONE / 8,
           .draws = IDS(1, 3, 2, 1, 0, 0, 0, 0));
}

/* FIL-04, llama.cpp#13405: a strict comparison removed the maximum itself and
 * left no candidate. */
Test(cases_filters, min_p_1_keeps_every_best_token)
{
    struct test_row row = ROW(1, 3, 3, 2);

    row.params.min_p = 1;
    EXPECT(row, .kept = IDS(1, 2), .weight_sum = 2 * ONE,
           .draws = IDS(2, 2, 2, 2, 1, 1, 1, 1));
}

/* FIL-05, mlx-lm#388: top-p assumed the weights still summed to one after
 * top-k, and in the end masked everything.  After top_k 2 the first token
 * holds 2/3; against the whole row, 0.66 would keep two. */
Test(cases_filters, top_p_measures_what_top_k_left)
{
    struct test_row row = halving_row();

    row.params.top_k = 2;
    row.params.top_p = 0.66f;
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE, .draws = ALWAYS(0));
    row.params.top_p = 0.67f;
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = 3 * ONE / 2);
    row.params.top_k = 1;
    row.params.top_p = 0.8f;
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE, .draws = ALWAYS(0));
}

/* FIL-06, TensorRT-LLM#19485: a float running sum never reached p, and the
 * search returned index V. */
Test(cases_filters, top_p_just_below_1_over_equal_weights)
{
    enum { VOCAB = 32000 };
    static const float zeros[VOCAB];
    struct test_row row = row_of(TESSERA_FLOAT32, VOCAB, zeros);

    row.params.top_p = 0.9999999f;
    EXPECT(row, .n_kept = VOCAB, .weight_sum = VOCAB * ONE,
           .draws = IDS(19614, 31606, 26427, 23347, 10445, 10075, 7215, 11467));
}

/* FIL-06: the token is floor(R * 32000 / 2^64), below V at every step. */
Test(cases_filters, top_p_just_below_1_never_reaches_vocab)
{
    enum { VOCAB = 32000, BATCH = 1000 };
    static const float zeros[VOCAB];
    struct test_row *rows = malloc(BATCH * sizeof(*rows));
    struct row_result *results = malloc(BATCH * sizeof(*results));
    const struct layout layout = {.shared = true};
    size_t count = tests_are_quick() ? 2 : BATCH;

    for (size_t i = 0; i < count; i++) {
        rows[i] = row_of(TESSERA_FLOAT32, VOCAB, zeros);
        rows[i].params.top_p = 0.9999999f;
        rows[i].params.step = i;
    }
    for (EACH_BACKEND(backend)) {
        run_rows(backend, rows, count, &layout, results);
        for (size_t i = 0; i < count; i++) {
            int32_t token = (int32_t)scaled(oracle_random(42, 0, i), VOCAB);
            cr_assert(results[i].token == token,
                      "%s, step %zu: token %d, not %d", backend->name, i,
                      results[i].token, token);
        }
    }
    free(rows);
    free(results);
}

/* FIL-07, llama.cpp#4091: projects disagree on the order, so the same request
 * keeps different tokens.  At T 0.5 the first holds 0.867. */
Test(cases_filters, temperature_comes_before_the_filters)
{
    struct test_row row = ROW(3, 2, 1);

    row.params.top_p = 0.8f;
    row.params.temperature = 0.5f;
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE, .draws = ALWAYS(0));
    row.params.temperature = 1;
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = 1503999426560,
           .draws = IDS(0, 1, 1, 0, 0, 0, 0, 0));
}
