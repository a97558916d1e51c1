/*
 * api_params.c - params on the sampler's side, their bounds, and steps that
 * the call advances
 */

#include "api_call.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, VOCAB = 5 };

static struct test_row plain_row(void)
{
    static const float logits[VOCAB] = {0, 1, 2, 3, 4};

    return row_of(TESSERA_FLOAT32, VOCAB, logits);
}

/* Three rows, the second with these params, under these bounds. */
static void expect_bounds(int line, const struct tessera_params *params,
                          uint32_t stages, int32_t max_top_k, bool legal)
{
    const struct layout layout = {.params_memory = TESSERA_MEMORY_SAMPLER};
    struct test_row rows[ROWS] = {plain_row(), plain_row(), plain_row()};

    rows[0].params.temperature = 0; /* uses no stage */
    rows[1].params = *params;
    rows[2].params.temperature = 0;
    for (EACH_BACKEND(backend)) {
        struct call call;

        call_build(&call, backend, rows, ROWS, &layout, NULL);
        call.batch.stages = stages;
        call.batch.max_top_k = max_top_k;
        cr_assert(call_run(&call) == TESSERA_OK);
        for (size_t row = 0; row < ROWS; row++) {
            struct row_result result = call_result(&call, row);
            uint32_t status =
                row != 1 || legal ? TESSERA_ROW_OK : TESSERA_ROW_INVALID;

            cr_assert(result.status == status &&
                          (result.token == -1) == (status != TESSERA_ROW_OK),
                      "line %d: %s, row %zu: status %u", line, backend->name,
                      row, result.status);
        }
        call_free(&call);
    }
}

/* A row that uses a stage is invalid exactly when the bounds leave it out. */
Test(api_params, rows_beyond_the_bounds_of_the_call_are_invalid)
{
    static const uint32_t all = 31;
    static const struct {
        uint32_t stage;
        float repetition, frequency, presence, temperature;
        int32_t top_k;
        float top_p, min_p;
    } uses[] = {
        {TESSERA_STAGE_PENALTIES, 2, 0, 0, 0, 0, 1, 0},
        {TESSERA_STAGE_PENALTIES, 1, 1, 0, 0, 0, 1, 0},
        {TESSERA_STAGE_PENALTIES, 1, 0, -1, 0, 0, 1, 0},
        {TESSERA_STAGE_DRAW, 1, 0, 0, 1e-5f, 0, 1, 0},
        {TESSERA_STAGE_DRAW, 1, 0, 0, 1, -1, 1, 0},
        {TESSERA_STAGE_TOP_K, 1, 0, 0, 0, 1, 1, 0},
        {TESSERA_STAGE_TOP_P, 1, 0, 0, 0, 0, 0.999f, 0},
        {TESSERA_STAGE_MIN_P, 1, 0, 0, 0, 0, 1, 1e-45f},
        {0, 1, -0.0f, -0.0f, 9e-6f, 0, 1, -0.0f},
    };

    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        struct tessera_params params = TESSERA_PARAMS_INIT;

        params.repetition_penalty = uses[i].repetition;
        params.frequency_penalty = uses[i].frequency;
        params.presence_penalty = uses[i].presence;
        params.temperature = uses[i].temperature;
        params.top_k = uses[i].top_k;
        params.top_p = uses[i].top_p;
        params.min_p = uses[i].min_p;
        expect_bounds(__LINE__, &params, all, 1, true);
        expect_bounds(__LINE__, &params, uses[i].stage, 1, true);
        expect_bounds(__LINE__, &params, all & ~uses[i].stage, 1,
                      uses[i].stage == 0);
    }
}

Test(api_params, rows_with_a_larger_top_k_than_the_call_says_are_invalid)
{
    struct tessera_params params = TESSERA_PARAMS_INIT;

    params.top_k = 3;
    expect_bounds(__LINE__, &params, 31, 3, true);
    expect_bounds(__LINE__, &params, 31, INT32_MAX, true);
    expect_bounds(__LINE__, &params, 31, 2, false);
    expect_bounds(__LINE__, &params, 31, 0, false);
    params.top_k = -1;
    expect_bounds(__LINE__, &params, 31, 0, true);
}

/* Bounds are not read for params in host memory, wrong ones neither. */
Test(api_params, host_params_have_no_bounds)
{
    const struct layout layout = {.params_memory = TESSERA_MEMORY_HOST};
    struct test_row row = plain_row();

    row.params.top_k = 2;
    for (EACH_BACKEND(backend)) {
        struct call call;

        call_build(&call, backend, &row, 1, &layout, NULL);
        call.batch.stages = 0xffffffe0;
        call.batch.max_top_k = -7;
        cr_assert(call_run(&call) == TESSERA_OK, "%s", tessera_last_error());
        cr_assert(call_result(&call, 0).status == TESSERA_ROW_OK);
        call_free(&call);
    }
}

/* What a call with advance_step makes of the steps of rows of every kind. */
Test(api_params, advance_step_adds_1_to_the_step_and_touches_nothing_else)
{
    enum { KINDS = 7 };
    const uint64_t limit = UINT64_C(1) << 62;
    static const float none[VOCAB] = {-INFINITY, -INFINITY, -INFINITY,
                                      -INFINITY, -INFINITY};
    struct test_row rows[KINDS];
    const uint64_t after[KINDS] = {1, 8, 9, 10, limit, limit, UINT64_MAX};
    const uint32_t statuses[KINDS] = {TESSERA_ROW_OK,      TESSERA_ROW_OK,
                                      TESSERA_ROW_INVALID, TESSERA_ROW_EMPTY,
                                      TESSERA_ROW_OK,      TESSERA_ROW_INVALID,
                                      TESSERA_ROW_INVALID};
    const struct layout layouts[] = {
        {.params_gap = 8},
        {.params_gap = 40, .params_memory = TESSERA_MEMORY_SAMPLER}};

    for (size_t i = 0; i < KINDS; i++) {
        rows[i] = plain_row();
        rows[i].params.step = i < 4 ? 6 + i : limit - 5 + i;
    }
    rows[0].params.step = 0;
    rows[1].params.temperature = 0;
    rows[2].params.top_p = NAN;
    rows[3].logits = none;
    rows[6].params.step = UINT64_MAX;
    for (EACH_BACKEND(backend))
        for (size_t at = 0; at < 4; at++) {
            struct call call;

            call_build(&call, backend, rows, KINDS, &layouts[at % 2], NULL);
            size_t bytes = (KINDS - 1) * call.batch.params_stride +
                           sizeof(struct tessera_params);
            char *expected = malloc(bytes);
            memcpy(expected, call.batch.params, bytes);
            for (size_t i = 0; i < KINDS; i++)
                memcpy(expected + i * call.batch.params_stride +
                           offsetof(struct tessera_params, step),
                       &after[i], sizeof(after[i]));
            call.batch.advance_step = at < 2 ? 1 : INT32_MIN;
            cr_assert(call_run(&call) == TESSERA_OK);
            for (size_t i = 0; i < KINDS; i++)
                cr_assert(call_result(&call, i).status == statuses[i],
                          "%s, row %zu", backend->name, i);
            cr_assert(memcmp(expected, call.batch.params, bytes) == 0,
                      "%s: params are not what they should be", backend->name);
            free(expected);
            call_free(&call);
        }
}

/* RNG-01's row: seed 42 draws 4,4,4,4,3,3,2,3 at T 2. */
Test(api_params, repeated_calls_walk_through_the_steps)
{
    static const int32_t draws[] = {4, 4, 4, 4, 3, 3, 2, 3};
    const struct layout layout = {.params_memory = TESSERA_MEMORY_SAMPLER};
    struct test_row row = plain_row();

    row.params.temperature = 2;
    for (EACH_BACKEND(backend)) {
        struct call call;

        call_build(&call, backend, &row, 1, &layout, NULL);
        call.batch.advance_step = 1;
        for (size_t i = 0; i < 8; i++) {
            cr_assert(call_run(&call) == TESSERA_OK);
            cr_assert(call.outputs.token[0] == draws[i], "%s, step %zu: %d",
                      backend->name, i, call.outputs.token[0]);
        }
        call_free(&call);
    }
}

/* A row with a wrong index advances as well; a refused call moves nothing. */
Test(api_params, advance_step_of_invalid_rows_and_refused_calls)
{
    for (EACH_BACKEND(backend)) {
        struct call call;

        build_full_call(&call, backend);
        call.batch.advance_step = 1;
        ((int32_t *)(uintptr_t)call.batch.row_index)[1] = -1;
        cr_assert(call_run(&call) == TESSERA_OK);
        for (size_t row = 0; row < API_ROWS; row++)
            cr_assert(call.batch.params[row].step == 1);
        call.outputs.top_n = -1;
        cr_assert(call_run(&call) == TESSERA_BAD_ARGUMENT);
        for (size_t row = 0; row < API_ROWS; row++)
            cr_assert(call.batch.params[row].step == 1);
        call_free(&call);
    }
}
