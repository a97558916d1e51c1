/*
 * cases_types.c - public faults of types, strides and sizes
 */

#include "case_check.h"

#include <criterion/criterion.h>

#include <stdlib.h>

/* DT-01, vllm#42684: the kernel stepped by V instead of by the row stride and
 * read the wrong rows.  NaN stands in the gaps. */
Test(cases_types, rows_further_apart_than_vocab)
{
    enum { VOCAB = 4096, BATCH = 16, REQUESTS = 3, DRAWS = 3 };
    static const int32_t n_kept[REQUESTS] = {154, 614, 143};
    static const uint64_t sums[REQUESTS] = {119301310119936, 214425753960448,
                                            113430175285248};
    static const int32_t draws[REQUESTS][DRAWS] = {
        {80, 151, 117}, {178, 570, 314}, {75, 140, 109}};
    static float logits[VOCAB];
    const struct layout layout = {.logits_gap = 8};
    struct test_row rows[BATCH];
    struct row_result *results = malloc(BATCH * sizeof(*results));

    for (int i = 0; i < VOCAB; i++)
        logits[i] = (float)(10 - 20.0 * i / 4095);
    for (size_t request = 0; request < REQUESTS; request++) {
        struct test_row row = row_of(TESSERA_FLOAT32, VOCAB, logits);

        row.params.top_k = request == 1 ? 0 : 154;
        row.params.top_p = request == 0 ? 1 : 0.95f;
        EXPECT(row, .n_kept = n_kept[request], .weight_sum = sums[request],
               .draws = {draws[request], DRAWS});
        for (EACH_BACKEND(backend))
            for (size_t step = 0; step < DRAWS; step++) {
                row.params.step = step;
                for (size_t i = 0; i < BATCH; i++)
                    rows[i] = row;
                run_rows(backend, rows, BATCH, &layout, results);
                for (size_t i = 0; i < BATCH; i++)
                    cr_assert(results[i].token == draws[request][step] &&
                                  results[i].n_kept == n_kept[request] &&
                                  results[i].weight_sum == sums[request] &&
                                  results[i].status == TESSERA_ROW_OK,
                              "%s, row %zu: token %d of %d", backend->name, i,
                              results[i].token, results[i].n_kept);
            }
    }
    free(results);
}

/* DT-03 (a), lmdeploy#3508: subnormals were flushed.  Each token's weight is
 * what it adds to the sum. */
Test(cases_types, subnormals_of_binary16_keep_their_weight)
{
    static const uint64_t sums[] = {
        ONE,
        ONE + 2486875136,
        ONE + 2486875136 + 2472096256,
        ONE + 2486875136 + 2472096256 + 2457404928,
    };
    struct test_row row =
        ROW_OF_BITS(TESSERA_FLOAT16, 0x0001, 0x8001, 0x0000, 0x03ff);
    const struct id_list kept[] = {IDS(3), IDS(0, 3), IDS(0, 2, 3),
                                   IDS(0, 1, 2, 3)};

    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(3), .weight_sum = ONE, .draws = ALWAYS(3));
    row.params.temperature = 1e-5f;
    EXPECT(row, .kept = IDS(0, 1, 2, 3), .weight_sum = 1106928004096);
    for (size_t i = 0; i < 4; i++) {
        row.params.top_k = (int32_t)i + 1;
        EXPECT(row, .kept = kept[i], .weight_sum = sums[i]);
    }
}

/* DT-03 (b), (c): half-precision arithmetic overflowed after the temperature;
 * here the others weigh 0. */
Test(cases_types, infinity_and_the_largest_binary16)
{
    struct test_row row =
        ROW_OF_BITS(TESSERA_FLOAT16, 0x7c00, 0x7bff, 0xfc00, 0x7e00);

    EXPECT(row, .status = TESSERA_ROW_NAN, .kept = IDS(0), .weight_sum = ONE,
           .draws = ALWAYS(0));
    row = ROW_OF_BITS(TESSERA_FLOAT16, 0x7b53, 0x7b52, 0xfb53);
    row.params.temperature = 0.5f;
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE, .draws = ALWAYS(0));
}

/* DT-04, flashinfer#3470 and vllm#44744: padding lanes held 0 and beat a row
 * of negative logits: id at or above V. */
Test(cases_types, lanes_past_the_end_do_not_win)
{
    static const int32_t vocabs[] = {1, 2, 3, 31, 33, 100, 999, 8193, 50257};
    const uint64_t lesser = (14043121188864 - ONE) / 32; /* of V = 33 */

    for (size_t i = 0; i < sizeof(vocabs) / sizeof(vocabs[0]); i++) {
        int32_t vocab = vocabs[i];
        float *logits = malloc((size_t)vocab * sizeof(*logits));
        struct test_row row = row_of(TESSERA_FLOAT32, vocab, logits);

        for (int32_t token = 0; token < vocab; token++)
            logits[token] = token == vocab - 1 ? -4 : -5;
        row.params.temperature = 0;
        EXPECT(row, .kept = IDS(vocab - 1), .weight_sum = ONE,
               .draws = ALWAYS(vocab - 1));
        row.params.temperature = 1;
        EXPECT(row, .n_kept = vocab,
               .weight_sum = ONE + (uint64_t)(vocab - 1) * lesser);
        if (vocab == 33)
            EXPECT(row, .n_kept = 33, .weight_sum = 14043121188864,
                   .draws = IDS(21, 32, 28, 25, 11, 10, 7, 12));
        free(logits);
    }
}
