/*
 * output_alone.c - an output is the same whichever others are wanted
 */

#include "batch_builder.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { VOCAB = 5, ROWS = 6 };

/* Leaves one of the outputs wanted; false: there is none of this number. */
static bool want_one(struct tessera_outputs *outputs, int number)
{
    const struct tessera_outputs all = *outputs;

    *outputs = (struct tessera_outputs)TESSERA_OUTPUTS_INIT;
    outputs->top_n = all.top_n;
    outputs->top_raw = all.top_raw;
    switch (number) {
    case 0:
        outputs->token = all.token;
        return true;
    case 1:
        outputs->logprob = all.logprob;
        return true;
    case 2:
        outputs->raw_logprob = all.raw_logprob;
        return true;
    case 3:
        outputs->rank = all.rank;
        return true;
    case 4:
        outputs->top_tokens = all.top_tokens;
        return true;
    case 5:
        outputs->top_logprobs = all.top_logprobs;
        return true;
    case 6:
        outputs->n_kept = all.n_kept;
        return true;
    case 7:
        outputs->weight_sum = all.weight_sum;
        return true;
    case 8:
        outputs->status = all.status;
        return true;
    default:
        return false;
    }
}

static void poison_outputs(const struct call *call)
{
    for (size_t i = call->input_count; i < call->array_count; i++)
        memset(call->arrays[i], 0xa5, call->array_bytes[i]);
}

static void expect_alike(const struct backend *backend, struct call *call)
{
    struct row_result expected[ROWS];
    struct call alone = *call;

    for (int number = 0; want_one(&alone.outputs, number); number++) {
        poison_outputs(call);
        cr_assert(call_run(call) == TESSERA_OK, "%s", tessera_last_error());
        for (size_t row = 0; row < ROWS; row++)
            expected[row] = call_result(&alone, row);
        poison_outputs(call);
        cr_assert(call_run(&alone) == TESSERA_OK, "%s", tessera_last_error());
        for (size_t row = 0; row < ROWS; row++) {
            struct row_result result = call_result(&alone, row);

            cr_assert(memcmp(&result, &expected[row], sizeof(result)) == 0,
                      "%s: row %zu, output %d, top_n %d, top_raw %d",
                      backend->name, row, number, call->outputs.top_n,
                      call->outputs.top_raw);
        }
        alone.outputs = call->outputs;
    }
}

/* Rows whose raw answer is another than the processed one: edited, greedy,
 * with a NaN, with one token, with none, and invalid. */
static void make_rows(struct test_row rows[ROWS])
{
    static const float plain[VOCAB] = {1, 4, 2, 3, 0};
    static const float with_nan[VOCAB] = {NAN, 4, 2, NAN, 0};
    static const float with_one[VOCAB] = {-INFINITY, -INFINITY, 2, -INFINITY,
                                          -INFINITY};
    static const float with_none[VOCAB] = {-INFINITY, -INFINITY, -INFINITY,
                                           -INFINITY, -INFINITY};
    static const struct tessera_bias biases[] = {{0, 5}, {1, -5}};
    static const float *const logits[ROWS] = {plain,    plain,     with_nan,
                                              with_one, with_none, plain};

    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = row_of(TESSERA_FLOAT32, VOCAB, logits[i]);
        rows[i].bias = (struct bias_list){biases, 2};
        rows[i].params.top_k = 3;
        rows[i].params.temperature = 0.5f;
    }
    rows[1].params.temperature = 0;
    rows[4].params.temperature = 0;
    rows[5].params.top_p = NAN;
}

Test(output_alone, is_what_it_is_with_all_others)
{
    struct test_row rows[ROWS];

    make_rows(rows);
    for (int raw = 0; raw < 2; raw++) {
        const struct layout layout = {.top_raw = raw};

        for (EACH_BACKEND(backend)) {
            struct call call;

            call_build(&call, backend, rows, ROWS, &layout, NULL);
            for (int32_t top_n = 0; top_n <= VOCAB + 1; top_n++) {
                call.outputs.top_n = top_n;
                expect_alike(backend, &call);
            }
            call_free(&call);
        }
    }
}

/* A list of top tokens of a row that draws none is a list of none. */
Test(output_alone, an_empty_greedy_row_lists_nothing)
{
    struct test_row rows[ROWS];

    make_rows(rows);
    for (EACH_BACKEND(backend)) {
        const struct layout layout = {0};
        struct row_result results[ROWS];

        run_rows(backend, rows, ROWS, &layout, results);
        cr_assert(results[4].status == TESSERA_ROW_EMPTY);
        cr_assert(results[4].top_tokens[0] == -1);
        cr_assert(results[4].top_logprobs[0] == MINUS_INFINITY_BITS);
    }
}
