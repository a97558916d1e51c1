/*
 * launches.c - config.on_launch is told of the kernels of a call
 */

#include "api_call.h"

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

enum { MOST_LAUNCHES = 256 };

/* What was told, in order. */
struct told {
    const char *kernels[MOST_LAUNCHES];
    size_t count;
};

static void tell(void *context, const char *kernel)
{
    struct told *told = context;

    cr_assert(told->count < MOST_LAUNCHES);
    told->kernels[told->count++] = kernel;
}

static void build_call(struct call *call, const struct backend *backend,
                       enum tessera_plan plan, const struct test_row *rows,
                       size_t count, const struct layout *layout,
                       struct told *told)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;

    *told = (struct told){.count = 0};
    config.device = backend->device;
    config.vocab = rows[0].vocab;
    config.max_top_logprobs = TOP_N;
    config.plans = plan;
    config.on_launch = tell;
    config.launch_context = told;
    call_build(call, backend, rows, count, layout, &config);
    cr_assert(told->count == 0, "%s: told of making a sampler", backend->name);
}

/* Only a CUDA sampler tells. */
static void expect_told(const struct backend *backend, const struct told *told,
                        const char *const *kernels, size_t count)
{
    if (backend->device != TESSERA_DEVICE_CUDA)
        count = 0;
    cr_assert(told->count == count, "%s: %zu launches, not %zu", backend->name,
              told->count, count);
    for (size_t i = 0; i < count; i++)
        cr_assert(strcmp(told->kernels[i], kernels[i]) == 0,
                  "%s: launch %zu is %s, not %s", backend->name, i,
                  told->kernels[i], kernels[i]);
}

#define EXPECT_TOLD(...)                                                       \
    expect_told(backend, &told, (const char *const[]){__VA_ARGS__},            \
                sizeof((const char *const[]){__VA_ARGS__}) /                   \
                    sizeof(const char *))

Test(launches, are_told_in_order)
{
    const struct layout layout = {.top_raw = true};

    for (EACH_BACKEND(backend)) {
        struct test_row row = ROW(3, 1, 2);
        struct told told;
        struct call call;

        row.params.presence_penalty = 1;
        row.params.top_p = 0.5f;
        row.generated = IDS(1, 1);
        build_call(&call, backend, TESSERA_PLAN_STAGED, &row, 1, &layout,
                   &told);
        cr_assert(call_run(&call) == TESSERA_OK);
        EXPECT_TOLD("upload_params", "check_rows", "edit_tokens", "read_logits",
                    "cub::DeviceSegmentedRadixSort", "filter", "sum_weights",
                    "choose", "write_row", "read_logits", "sum_weights",
                    "cub::DeviceSegmentedRadixSort", "write_raw");
        call_free(&call);
    }
}

/* A row that uses nothing costs no pass for it; 100 rows of params in host
 * memory take three launches. */
Test(launches, are_told_each_time_and_only_those_made)
{
    enum { ROWS = 100 };
    const struct layout host = {.params_memory = TESSERA_MEMORY_HOST};
    const struct layout there = {.params_memory = TESSERA_MEMORY_SAMPLER};
    struct test_row row = ROW(3, 1, 2);
    struct test_row rows[ROWS];

    row.params.temperature = 0;
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = row;
    for (EACH_BACKEND(backend)) {
        struct tessera_outputs token = TESSERA_OUTPUTS_INIT;
        struct told told;
        struct call call;

        build_call(&call, backend, TESSERA_PLAN_STAGED, rows, ROWS, &host,
                   &told);
        token.token = call.outputs.token;
        call.outputs = token;
        for (int i = 0; i < 2; i++)
            cr_assert(call_run(&call) == TESSERA_OK);
        EXPECT_TOLD("upload_params", "upload_params", "upload_params",
                    "check_rows", "read_logits", "choose", "write_row",
                    "upload_params", "upload_params", "upload_params",
                    "check_rows", "read_logits", "choose", "write_row");
        call_free(&call);

        build_call(&call, backend, TESSERA_PLAN_STAGED, rows, 1, &there, &told);
        token.token = call.outputs.token;
        call.outputs = token;
        cr_assert(call_run(&call) == TESSERA_OK);
        EXPECT_TOLD("check_rows", "read_logits", "choose", "write_row");
        call_free(&call);
    }
}

/* Whether the rows of a call were on chip, which is for the chip to say. */
static bool on_chip(const struct told *told)
{
    return told->count > 1 && strcmp(told->kernels[1], "resident") == 0;
}

/* Top-k up to 1024 needs no second read of the logits; whether top-p does, the
 * host can't know. */
Test(launches, of_the_plan_fused_are_those_that_a_row_may_need)
{
    const struct layout layout = {.top_raw = true};

    for (EACH_BACKEND(backend)) {
        struct tessera_outputs token = TESSERA_OUTPUTS_INIT;
        struct test_row rows[2] = {ROW(3, 1, 2), ROW(3, 1, 2)};
        struct told told;
        struct call call;

        rows[0].params.top_k = 1024;
        rows[0].params.top_p = 0.5f;
        rows[1].params.temperature = 0;
        build_call(&call, backend, TESSERA_PLAN_FUSED, rows, 2, &layout, &told);
        token.token = call.outputs.token;
        call.outputs = token;
        cr_assert(call_run(&call) == TESSERA_OK);
        if (on_chip(&told))
            EXPECT_TOLD("prepare", "resident");
        else
            EXPECT_TOLD("prepare", "select", "rank");
        call_free(&call);

        rows[1] = ROW(3, 1, 2);
        rows[1].params.top_p = 0.5f;
        build_call(&call, backend, TESSERA_PLAN_FUSED, rows, 2, &layout, &told);
        cr_assert(call_run(&call) == TESSERA_OK);
        if (on_chip(&told))
            EXPECT_TOLD("prepare", "resident", "select_raw", "rank_raw",
                        "weigh_raw", "answer_raw");
        else
            EXPECT_TOLD("prepare", "select", "rank", "weigh", "settle",
                        "select_raw", "rank_raw", "weigh_raw", "answer_raw");
        call_free(&call);
    }
}

/* In other rows what is said saves no read; nor where rows are on chip, for
 * which these are too many. */
Test(launches, guess_at_rows_that_are_weighed_outright)
{
    enum { ROWS = 300 };
    const struct layout layout = {.top_raw = true};
    const struct test_row plain = ROW(3, 1, 2);
    struct test_row rows[ROWS];

    for (EACH_BACKEND(backend))
        for (int way = 0; way < 4; way++) {
            struct tessera_outputs token = TESSERA_OUTPUTS_INIT;
            bool said = way % 2, filtered = way / 2;
            struct told told;
            struct call call;

            for (size_t i = 0; i < ROWS; i++) {
                rows[i] = plain;
                rows[i].params.temperature = filtered || i > 0 ? 0 : 1;
                rows[i].maximum = said ? 3 : NAN;
            }
            rows[ROWS - 1].params.temperature = 1;
            rows[ROWS - 1].params.top_k = 1025;
            build_call(&call, backend, TESSERA_PLAN_FUSED, rows, ROWS, &layout,
                       &told);
            token.token = call.outputs.token;
            call.outputs = token;
            cr_assert(call_run(&call) == TESSERA_OK);
            if (said && !filtered)
                EXPECT_TOLD("prepare", "prepare", "prepare", "guess", "select",
                            "rank", "weigh", "settle");
            else
                EXPECT_TOLD("prepare", "prepare", "prepare", "select", "rank",
                            "weigh", "settle");
            call_free(&call);
        }
}

Test(launches, that_are_not_made_are_not_told)
{
    const struct layout layout = {.shared = false};
    struct test_row row = ROW(3, 1, 2);

    for (EACH_BACKEND(backend)) {
        struct told told;
        struct call call;

        build_call(&call, backend, TESSERA_PLAN_STAGED, &row, 1, &layout,
                   &told);
        call.batch.rows = 0;
        cr_assert(call_run(&call) == TESSERA_OK);
        cr_assert(told.count == 0);
        call.batch.rows = 1;
        call.batch.logits_stride = 2;
        cr_assert(call_run(&call) == TESSERA_BAD_ARGUMENT);
        cr_assert(told.count == 0);
        call_free(&call);
    }
}
