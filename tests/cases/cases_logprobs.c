/*
 * cases_logprobs.c - public faults of log-probabilities and ranks
 */

#include "case_check.h"

#include <criterion/criterion.h>

#include <stdlib.h>

/* The row of LP-01 and what its raw log-probabilities are. */
static struct test_row falling_row(void)
{
    static const float logits[] = {0, -1, -2, -3, -3};

    return row_of(TESSERA_FLOAT32, 5, logits);
}

#define RAW_BITS                                                               \
    BITS(0xbef18896, 0xbfbc6225, 0xc01e3113, 0xc05e3113, 0xc05e3113)

/* LP-01, vllm#9453 and vllm#30846: they were taken after temperature and
 * filters, or after the row had been edited in place. */
Test(cases_logprobs, raw_log_probabilities_ignore_the_request)
{
    struct test_row row = falling_row();

    EXPECT(row, .n_kept = 5, .raw = RAW_BITS);
    row.params.temperature = 0.5f;
    row.params.top_p = 0.9f;
    EXPECT(row, .kept = IDS(0, 1), .raw = RAW_BITS);
    row = falling_row();
    row.params.temperature = 2;
    row.params.top_k = 3;
    EXPECT(row, .kept = IDS(0, 1, 2), .raw = RAW_BITS);
    row = falling_row();
    row.params.repetition_penalty = 2;
    row.params.frequency_penalty = 1;
    row.generated = IDS(0, 0);
    row.bias = BIASES({1, 5});
    EXPECT(row, .n_kept = 5, .raw = RAW_BITS);
    row = falling_row();
    row.bans = IDS(0);
    EXPECT(row, .kept = IDS(1, 2, 3, 4), .raw = RAW_BITS);
    row = falling_row();
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(0), .raw = RAW_BITS);
}

/* LP-01 in a row where nothing is drawn: the raw list is of the logits. */
Test(cases_logprobs, an_empty_row_still_has_a_raw_list)
{
    struct test_row row = falling_row();

    row.bans = IDS(0, 1, 2, 3, 4);
    EXPECT(row, .status = TESSERA_ROW_EMPTY, .draws = ALWAYS(-1),
           .raw = RAW_BITS);
}

/* LP-02, vllm#10234: removed tokens gave NaN, and the answer could not be
 * written out. */
Test(cases_logprobs, processed_ones_of_kept_and_of_removed_tokens)
{
    const uint32_t out = MINUS_INFINITY_BITS;
    struct test_row row = falling_row();

    row.params.temperature = 0.5f;
    row.params.top_p = 0.9f;
    EXPECT(row, .processed = BITS(0xbe01f96a, 0xc0081f97, out, out, out));
    row = falling_row();
    row.params.temperature = 2;
    row.params.top_k = 3;
    EXPECT(row,
           .processed = BITS(0xbf2e2626, 0xbf971313, 0xbfd71313, out, out));
    row = falling_row();
    row.params.temperature = UNIT_TEMPERATURE;
    row.params.top_k = 2;
    EXPECT(row, .processed = BITS(0xbecf991f, 0xbf8c9f54, out, out, out));
    row = falling_row();
    row.params.temperature = 0;
    EXPECT(row, .processed = BITS(0, out, out, out, out));
}

/* LP-03, llama.cpp#5564: the number of log-probabilities asked for became a
 * minimum number of candidates. */
Test(cases_logprobs, asking_for_them_changes_no_token)
{
    static const int32_t numbers[] = {0, 1, 10};
    const struct layout layout = {.shared = true};
    struct test_row row = ROW(1, 3, 2.5f, 2);
    struct test_row rows[STEPS];

    row.params.min_p = 1;
    EXPECT(row, .kept = IDS(1), .weight_sum = ONE, .draws = ALWAYS(1));
    for (size_t step = 0; step < STEPS; step++) {
        rows[step] = row;
        rows[step].params.step = step;
    }
    for (size_t i = 0; i < 3; i++)
        for (EACH_BACKEND(backend)) {
            struct call call;

            call_build(&call, backend, rows, STEPS, &layout, NULL);
            call.outputs.top_n = numbers[i];
            cr_assert(call_run(&call) == TESSERA_OK);
            for (size_t step = 0; step < STEPS; step++) {
                struct row_result result = call_result(&call, step);

                cr_assert(result.token == 1 && result.n_kept == 1 &&
                              result.weight_sum == ONE && result.logprob == 0,
                          "%s, top %d: token %d of %d", backend->name,
                          numbers[i], result.token, result.n_kept);
                for (int32_t n = 0; n < numbers[i]; n++)
                    cr_assert(result.top_tokens[n] == (n ? -1 : 1) &&
                                  result.top_logprobs[n] ==
                                      (n ? MINUS_INFINITY_BITS : 0),
                              "%s, top %d: entry %d is %d with %08x",
                              backend->name, numbers[i], n,
                              result.top_tokens[n], result.top_logprobs[n]);
            }
            call_free(&call);
        }
}

/* Draws from a row at many steps, with raw lists of 2.  Each draw must have
 * the rank of its token and, where given, its raw log-probability, and 'wanted'
 * be drawn. */
static void expect_ranks(struct test_row row, int32_t wanted,
                         struct bits_list raw)
{
    enum { BATCH = 64 };
    const struct layout layout = {.shared = true, .top_raw = true};
    struct test_row *rows = malloc(BATCH * sizeof(*rows));

    for (size_t i = 0; i < BATCH; i++) {
        rows[i] = row;
        rows[i].params.step = i;
    }
    for (EACH_BACKEND(backend)) {
        struct call call;
        bool drawn = false;

        call_build(&call, backend, rows, BATCH, &layout, NULL);
        call.outputs.top_n = 2;
        cr_assert(call_run(&call) == TESSERA_OK);
        for (size_t i = 0; i < BATCH; i++) {
            struct row_result result = call_result(&call, i);

            cr_assert(result.rank == result.token + 1 &&
                          ((size_t)result.token >= raw.count ||
                           result.raw_logprob == raw.bits[result.token]),
                      "%s, step %zu: token %d has rank %d", backend->name, i,
                      result.token, result.rank);
            for (int32_t n = 0; n < 2; n++)
                cr_assert(result.top_tokens[n] == n &&
                              result.top_logprobs[n] == raw.bits[n],
                          "%s, step %zu: entry %d is %d", backend->name, i, n,
                          result.top_tokens[n]);
            drawn = drawn || result.token == wanted;
        }
        cr_assert(drawn, "%s: token %d was never drawn", backend->name, wanted);
        call_free(&call);
    }
    free(rows);
}

/* LP-04, vllm#36746 and vllm#34017: the drawn token was listed twice, and
 * ranks shifted when the copy was removed; ties shared a rank. */
Test(cases_logprobs, ranks_and_lists_know_no_duplicates)
{
    expect_ranks(ROW(9, 8, 7, 6), 0, BITS(0xbee1608d, 0xbfb85823));
    expect_ranks(ROW(5, 5, 4), 2, BITS(0xbf5cabb2, 0xbf5cabb2, 0xbfee55d9));
}
