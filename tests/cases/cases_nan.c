/*
 * cases_nan.c - public faults of NaN, infinity and tiny temperatures
 */

#include "case_check.h"
#include "floats.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>

/* NAN-01, flashinfer#2456 and vllm#26859: one row of NaN wrote an id out of
 * range and took the process down. */
Test(cases_nan, broken_rows_in_a_good_batch)
{
    struct test_row rows[] = {
        ROW(NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN),
        ROW(NAN, 1, NAN, 0, NAN, 2, NAN, NAN),
        ROW(INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,
            INFINITY, INFINITY),
        ROW(-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY,
            -INFINITY, -INFINITY),
        ROW(0, 1, 2, 3, 4, 5, 6, 7),
    };
    const struct answer answers[] = {
        {.status = TESSERA_ROW_EMPTY | TESSERA_ROW_NAN, .draws = ALWAYS(-1)},
        {.status = TESSERA_ROW_NAN,
         .kept = IDS(1, 5),
         .draws = IDS(5, 5, 5, 5, 5, 5, 1, 5)},
        {.kept = IDS(0, 1, 2, 3, 4, 5, 6, 7),
         .weight_sum = 8 * ONE,
         .draws = IDS(4, 7, 6, 5, 2, 2, 1, 2)},
        {.status = TESSERA_ROW_EMPTY, .draws = ALWAYS(-1)},
        {.kept = IDS(5, 6, 7),
         .weight_sum = 1652802125824,
         .draws = IDS(7, 7, 7, 7, 6, 6, 6, 7)},
    };

    for (size_t i = 0; i < 5; i++) {
        rows[i].params.top_k = 50;
        rows[i].params.top_p = 0.9f;
    }
    EXPECT_BATCH(rows, answers);
}

/* NAN-02, llama.cpp#21512: a NaN in front won every comparison, a NaN behind
 * won another; the answer depended on its place. */
Test(cases_nan, nan_never_wins_a_greedy_row)
{
    struct test_row rows[] = {ROW(NAN, 5, 2), ROW(5, NAN, 2), ROW(2, 5, NAN)};
    static const int32_t tokens[] = {1, 0, 1};

    for (size_t i = 0; i < 3; i++) {
        rows[i].params.temperature = 0;
        EXPECT(rows[i], .status = TESSERA_ROW_NAN, .n_kept = 1,
               .weight_sum = ONE, .draws = ALWAYS(tokens[i]));
    }
}

/* NAN-02: what the mask removes is not looked at; a bias does not hide it. */
Test(cases_nan, the_nan_flag_sees_what_mask_and_bans_leave)
{
    static const uint32_t without_0[] = {0x6};
    struct test_row row = ROW(NAN, 5, 2);

    row.params.temperature = 0;
    row.bias = BIASES({0, 3});
    EXPECT(row, .status = TESSERA_ROW_NAN, .kept = IDS(1), .draws = ALWAYS(1));
    row.bias = BIASES({0, -INFINITY});
    EXPECT(row, .status = TESSERA_ROW_NAN, .kept = IDS(1), .draws = ALWAYS(1));
    row.bias = (struct bias_list){NULL, 0};
    row.mask = without_0;
    EXPECT(row, .kept = IDS(1), .draws = ALWAYS(1));
    row.mask = NULL;
    row.bans = IDS(0);
    EXPECT(row, .kept = IDS(1), .draws = ALWAYS(1));
}

/* Whether a row is greedy shows in nothing when one token has all the weight;
 * but a call whose bounds leave out the draw finds the others invalid. */
static void expect_greedy(const struct test_row *row, bool greedy)
{
    const struct layout layout = {.params_memory = TESSERA_MEMORY_SAMPLER};

    for (EACH_BACKEND(backend)) {
        struct call call;

        call_build(&call, backend, row, 1, &layout, NULL);
        call.batch.stages &= ~(uint32_t)TESSERA_STAGE_DRAW;
        cr_assert(call_run(&call) == TESSERA_OK);
        struct row_result result = call_result(&call, 0);
        cr_assert(result.status ==
                      (greedy ? TESSERA_ROW_OK : TESSERA_ROW_INVALID),
                  "%s: status %u at temperature %a", backend->name,
                  result.status, (double)row->params.temperature);
        call_free(&call);
    }
}

/* NAN-03 (a), vllm#2937: x / T overflowed, the row turned to NaN and the text
 * came back empty.  binary16 65472, 65504, -65504. */
Test(cases_nan, tiny_temperatures_of_large_binary16)
{
    static const float temperatures[] = {1e-4f, 1e-5f, 9e-6f, 1e-30f};
    struct test_row row = ROW_OF_BITS(TESSERA_FLOAT16, 0x7bfe, 0x7bff, 0xfbff);

    for (size_t i = 0; i < 4; i++) {
        row.params.temperature = temperatures[i];
        EXPECT(row, .kept = IDS(1), .weight_sum = ONE, .draws = ALWAYS(1),
               .processed = BITS(MINUS_INFINITY_BITS, 0, MINUS_INFINITY_BITS));
        expect_greedy(&row, i >= 2);
    }
}

/* NAN-03 (b): 3727c5ac is 1e-5, and the least temperature that is sampled. */
Test(cases_nan, the_threshold_of_greedy_is_one_bit_wide)
{
    struct test_row row = ROW(-1e-6f, 0);

    row.params.temperature = float_of_bits(0x3727c5ac);
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = 2094390575104,
           .draws = IDS(1, 1, 1, 1, 0, 0, 0, 0));
    row.params.temperature = float_of_bits(0x3727c5ab);
    EXPECT(row, .kept = IDS(1), .weight_sum = ONE, .draws = ALWAYS(1));
}

/* NAN-04, vllm#26859: inf - inf gave NaN and the whole row was lost. */
Test(cases_nan, infinity_is_the_largest_float)
{
    struct test_row row = ROW(1, INFINITY, INFINITY, 2);

    for (int i = 0; i < 2; i++) {
        row.params.top_p = i ? 0.99f : 1;
        EXPECT(row, .kept = IDS(1, 2), .weight_sum = 2 * ONE,
               .draws = IDS(2, 2, 2, 2, 1, 1, 1, 1));
    }
    row = ROW(FLT_MAX, INFINITY);
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(0), .weight_sum = ONE, .draws = ALWAYS(0));
    row.params.temperature = 1; /* they tie, and neither is a NaN */
    EXPECT(row, .kept = IDS(0, 1), .weight_sum = 2 * ONE,
           .draws = IDS(1, 1, 1, 1, 0, 0, 0, 0));
}

/* NAN-05, flashinfer#1178: a block that saw only -inf computed (-inf) - (-inf)
 * and poisoned its row. */
Test(cases_nan, a_whole_slice_of_minus_infinity)
{
    enum { VOCAB = 20000, SLICE = 16384 };
    static float logits[VOCAB];

    for (int i = 0; i < SLICE; i++)
        logits[i] = -INFINITY;
    struct test_row row = row_of(TESSERA_FLOAT32, VOCAB, logits);
    EXPECT(row, .n_kept = VOCAB - SLICE, .weight_sum = (VOCAB - SLICE) * ONE,
           .draws =
               IDS(18600, 19955, 19370, 19022, 17564, 17522, 17199, 17679));
    row.params.top_k = 3;
    EXPECT(row, .kept = IDS(16384, 16385, 16386), .weight_sum = 3 * ONE,
           .draws =
               IDS(16385, 16386, 16386, 16386, 16384, 16384, 16384, 16385));
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(16384), .weight_sum = ONE, .draws = ALWAYS(16384));
}
