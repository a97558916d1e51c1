/*
 * mixed_batches.c - large rows of every kind in one batch, and long histories
 *
 * Few rows, so that they are quick where kernels run on the CPU: those of the
 * other properties are many, and short there.
 */

#include "oracle.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The kernels' passes take 4096 tokens a block: here a third one has 3. */
enum { ROWS = 16, VOCAB = 8195 };

static const struct layout layouts[] = {
    {.shared = true, .logits_gap = 1, .logits_shift = 1, .params_gap = 8},
    {.shared = true, .params_memory = TESSERA_MEMORY_SAMPLER},
    {.logits_gap = 13},
};

/* Random rows; one invalid, one empty, one of many NaN, and two that share
 * their logits and their mask. */
static void make_rows(enum tessera_dtype type, struct test_row rows[ROWS])
{
    static const uint32_t nothing[(VOCAB + 31) / 32];
    struct random random = {17 + (uint64_t)type};

    for (size_t i = 0; i < ROWS; i++)
        rows[i] = random_row(&random, type, VOCAB);
    rows[1].params.top_p = NAN;
    free_const(rows[2].mask);
    rows[2].mask = nothing;
    for (size_t token = 0; token < VOCAB; token += 2)
        store_float((void *)(uintptr_t)rows[3].logits, type, token, NAN);
    random_row_free(&rows[5]);
    rows[5] = rows[4];
    rows[5].params.seed++;
    rows[5].params.top_p = 0.75f;
    rows[5].params.temperature = 1;
    give_maxima(&random, rows, ROWS);
}

static void free_rows(struct test_row rows[ROWS])
{
    rows[2].mask = NULL;
    for (size_t i = 0; i < ROWS; i++)
        if (i != 5)
            random_row_free(&rows[i]);
}

Test(mixed_batches, answer_what_the_contract_says)
{
    struct row_result results[ROWS];
    struct test_row rows[ROWS];

    for (int type = TESSERA_FLOAT32; type <= TESSERA_BFLOAT16; type++) {
        struct layout layout = layouts[type];

        layout.top_raw = type == TESSERA_FLOAT16;
        make_rows((enum tessera_dtype)type, rows);
        for (EACH_BACKEND(backend)) {
            run_rows(backend, rows, ROWS, &layout, results);
            for (size_t i = 0; i < ROWS; i++)
                expect_oracle(backend, &rows[i], layout.top_raw, &results[i],
                              (uint64_t)type, i);
        }
        free_rows(rows);
    }
}

static void expect_equal(const struct backend *backend, size_t row,
                         const struct row_result *other,
                         const struct row_result *whole)
{
    cr_assert(memcmp(other, whole, sizeof(*whole)) == 0,
              "%s, row %zu: token %d (%d), status %u (%u), weight_sum %llu "
              "(%llu), rank %d (%d)",
              backend->name, row, other->token, whole->token, other->status,
              whole->status, (unsigned long long)other->weight_sum,
              (unsigned long long)whole->weight_sum, other->rank, whole->rank);
}

Test(mixed_batches, permuted_and_resized_give_the_same_rows)
{
    static const size_t sizes[] = {1, 10, 5};
    struct row_result whole[ROWS], other[ROWS];
    struct test_row rows[ROWS], moved[ROWS];

    make_rows(TESSERA_FLOAT16, rows);
    for (size_t i = 0; i < ROWS; i++)
        moved[(3 * i + 1) % ROWS] = rows[i];
    for (EACH_BACKEND(backend)) {
        size_t start = 0;

        run_rows(backend, rows, ROWS, &layouts[0], whole);
        run_rows(backend, moved, ROWS, &layouts[1], other);
        for (size_t i = 0; i < ROWS; i++)
            expect_equal(backend, i, &other[(3 * i + 1) % ROWS], &whole[i]);
        for (size_t part = 0; part < 3; part++) {
            run_rows(backend, rows + start, sizes[part], &layouts[2],
                     other + start);
            start += sizes[part];
        }
        for (size_t i = 0; i < ROWS; i++)
            expect_equal(backend, i, &other[i], &whole[i]);
    }
    free_rows(rows);
}

static void count_chunk(void *chunks, const char *kernel)
{
    *(int *)chunks += strcmp(kernel, "write_row") == 0;
}

/* A limit that holds six rows: chunks of 6, 6 and 4 on a CUDA device. */
Test(mixed_batches, chunks_of_a_small_workspace_give_the_same_rows)
{
    struct row_result whole[ROWS];
    struct test_row rows[ROWS];

    make_rows(TESSERA_BFLOAT16, rows);
    for (EACH_BACKEND(backend)) {
        struct tessera_config config = TESSERA_CONFIG_INIT;
        int chunks = 0;
        struct call call;

        config.device = backend->device;
        config.vocab = VOCAB;
        config.max_rows = ROWS;
        config.max_top_logprobs = TOP_N;
        config.plans = TESSERA_PLAN_STAGED;
        config.on_launch = count_chunk;
        config.launch_context = &chunks;
        call_build(&call, backend, rows, 6, &layouts[0], &config);
        config.workspace_limit = call.workspace_bytes;
        call_free(&call);

        call_build(&call, backend, rows, ROWS, &layouts[0], &config);
        cr_assert(call_run(&call) == TESSERA_OK, "%s", tessera_last_error());
        if (backend->device == TESSERA_DEVICE_CUDA)
            cr_assert(chunks == 3 &&
                          call.workspace_bytes <= config.workspace_limit,
                      "%d chunks in %zu bytes", chunks, call.workspace_bytes);
        run_rows(backend, rows, ROWS, &layouts[0], whole);
        for (size_t i = 0; i < ROWS; i++) {
            struct row_result result = call_result(&call, i);

            expect_equal(backend, i, &result, &whole[i]);
        }
        call_free(&call);
    }
    free_rows(rows);
}

/* 32768 entries, windows of every kind, placeholders among them. */
Test(mixed_batches, histories_of_32768_entries)
{
    enum { ENTRIES = 32768, HISTORIES = 6, TOKENS = 997 };
    static const int32_t windows[HISTORIES] = {-1,      1,           1000,
                                               ENTRIES, ENTRIES - 1, -1};
    static const uint32_t prompts[HISTORIES] = {20000, ENTRIES, 1,
                                                0,     32000,   ENTRIES - 1};
    struct row_result results[HISTORIES];
    struct test_row rows[HISTORIES];
    struct random random = {32768};

    for (size_t i = 0; i < HISTORIES; i++) {
        struct test_row *row = &rows[i];

        *row = random_row(&random, TESSERA_FLOAT32, TOKENS);
        row->params.repetition_penalty = random_between(&random, 0.5f, 2);
        row->params.frequency_penalty = random_between(&random, -0.1f, 0.1f);
        row->params.presence_penalty = random_between(&random, -2, 2);
        row->params.penalty_window = windows[i];
        row->params.penalize_prompt = i % 2;
        free_const(row->prompt.ids);
        free_const(row->generated.ids);
        row->prompt = random_ids(&random, TOKENS, prompts[i], true);
        row->generated =
            random_ids(&random, TOKENS, ENTRIES - prompts[i], true);
    }
    for (EACH_BACKEND(backend)) {
        run_rows(backend, rows, HISTORIES, &layouts[1], results);
        for (size_t i = 0; i < HISTORIES; i++)
            expect_oracle(backend, &rows[i], false, &results[i], 32768, i);
    }
    for (size_t i = 0; i < HISTORIES; i++)
        random_row_free(&rows[i]);
}
