/*
 * api_rows.c - what is wrong with a row is its status, and nobody else's
 */

#include "api_call.h"

#include <criterion/criterion.h>

#include <string.h>

/* Only the rows whose bits are in 'invalid' are; each other row answers as it
 * did in the call that was not spoiled. */
static void expect_invalid_rows(int line, const struct backend *backend,
                                const struct row_result *good,
                                struct call *call, unsigned invalid)
{
    cr_assert(call_run(call) == TESSERA_OK, "line %d: %s: %s", line,
              backend->name, tessera_last_error());
    for (size_t row = 0; row < API_ROWS; row++) {
        struct row_result result = call_result(call, row);

        if (!(invalid >> row & 1)) {
            cr_assert(memcmp(&result, &good[row], sizeof(result)) == 0,
                      "line %d: %s, row %zu: token %d, status %u", line,
                      backend->name, row, result.token, result.status);
            continue;
        }
        cr_assert(result.status == TESSERA_ROW_INVALID && result.token == -1 &&
                      result.n_kept == 0 && result.weight_sum == 0 &&
                      result.rank == 0 &&
                      result.logprob == MINUS_INFINITY_BITS &&
                      result.raw_logprob == MINUS_INFINITY_BITS,
                  "line %d: %s, row %zu: token %d, status %u", line,
                  backend->name, row, result.token, result.status);
        for (size_t i = 0; i < API_TOP_N; i++)
            cr_assert(result.top_tokens[i] == -1 &&
                          result.top_logprobs[i] == MINUS_INFINITY_BITS,
                      "line %d: %s, row %zu: entry %zu is %d", line,
                      backend->name, row, i, result.top_tokens[i]);
    }
}

/* A full call, and what it answers. */
static void build_good_call(struct call *call, const struct backend *backend,
                            struct row_result *good)
{
    build_full_call(call, backend);
    cr_assert(call_run(call) == TESSERA_OK, "%s: %s", backend->name,
              tessera_last_error());
    for (size_t row = 0; row < API_ROWS; row++) {
        good[row] = call_result(call, row);
        cr_assert(good[row].status == TESSERA_ROW_OK);
    }
}

/* On every backend: a full call spoiled by 'change', after which the rows
 * whose bits are in 'rows' are invalid. */
#define INVALID_ROWS(rows, change)                                             \
    for (EACH_BACKEND(backend)) {                                              \
        struct row_result good[API_ROWS];                                      \
        struct call whole;                                                     \
        build_good_call(&whole, backend, good);                                \
        struct call call = whole;                                              \
        change;                                                                \
        expect_invalid_rows(__LINE__, backend, good, &call, rows);             \
        call_free(&whole);                                                     \
    }

enum { NO_ROW = 0, ROW_0 = 1, ROW_1 = 2, ROW_2 = 4, ALL_ROWS = 7 };

/* The arrays of a call are const to the library, not to who builds it. */
static void put32(const int32_t *array, size_t i, int32_t value)
{
    ((int32_t *)(uintptr_t)array)[i] = value;
}

static void put64(const int64_t *array, size_t i, int64_t value)
{
    ((int64_t *)(uintptr_t)array)[i] = value;
}

/* API-04 (b), vllm#22963: masks were counted by buffer, not by index. */
Test(api_rows, an_index_outside_its_table)
{
    INVALID_ROWS(ROW_1, put32(call.batch.row_index, 1, -1));
    INVALID_ROWS(ROW_1, put32(call.batch.row_index, 1, 1));
    INVALID_ROWS(ROW_1, put32(call.batch.row_index, 1, INT32_MAX));
    INVALID_ROWS(ROW_1, put32(call.batch.row_index, 1, INT32_MIN));
    INVALID_ROWS(ROW_1, put32(call.batch.mask_index, 1, -2));
    INVALID_ROWS(ROW_1, put32(call.batch.mask_index, 1, 1));
    INVALID_ROWS(ROW_1, put32(call.batch.mask_index, 1, INT32_MAX));
    INVALID_ROWS(ROW_1, put32(call.batch.mask_index, 1, INT32_MIN));
    INVALID_ROWS(ALL_ROWS, call.batch.mask_count = 0);
}

/* -1 is no mask; the mask of this call lets everything in. */
Test(api_rows, a_mask_index_of_minus_1_is_no_mask)
{
    INVALID_ROWS(NO_ROW, put32(call.batch.mask_index, 1, -1));
    INVALID_ROWS(NO_ROW, (put32(call.batch.mask_index, 0, -1),
                          put32(call.batch.mask_index, 1, -1),
                          put32(call.batch.mask_index, 2, -1),
                          call.batch.masks = NULL, call.batch.mask_count = 0));
}

Test(api_rows, history_that_does_not_fit)
{
    INVALID_ROWS(ROW_1, put64(call.batch.prompt.offsets, 1, -1));
    INVALID_ROWS(ROW_1, put64(call.batch.prompt.offsets, 1, INT64_MIN));
    INVALID_ROWS(ROW_1, put64(call.batch.prompt.lengths, 1, -1));
    INVALID_ROWS(ROW_1, put64(call.batch.prompt.lengths, 1, INT64_MIN));
    INVALID_ROWS(ROW_1, put64(call.batch.prompt.lengths, 1, INT64_MAX));
    INVALID_ROWS(ROW_1, put64(call.batch.generated.offsets, 1, -1));
    INVALID_ROWS(ROW_1, put64(call.batch.generated.lengths, 1, -1));
    INVALID_ROWS(ROW_1, put64(call.batch.generated.lengths, 1, INT64_MAX));
    INVALID_ROWS(ROW_1, (put64(call.batch.prompt.lengths, 1, INT64_MAX),
                         put64(call.batch.generated.lengths, 1, INT64_MAX)));
    INVALID_ROWS(ROW_1, (put64(call.batch.prompt.lengths, 1, INT64_MAX),
                         put64(call.batch.generated.lengths, 1, 1)));
    INVALID_ROWS(ROW_1,
                 put64(call.batch.prompt.lengths, 1, (INT64_C(1) << 32) + 1));
    /* max_history is 5, for both segments together. */
    INVALID_ROWS(ROW_1, put64(call.batch.prompt.lengths, 1, 4));
    INVALID_ROWS(ROW_1, put64(call.batch.generated.lengths, 1, 3));
}

Test(api_rows, history_without_tokens)
{
    INVALID_ROWS(ALL_ROWS, call.batch.prompt.tokens = NULL);
    INVALID_ROWS(ALL_ROWS, call.batch.generated.tokens = NULL);
    /* The presence penalty does not count the prompt. */
    INVALID_ROWS(NO_ROW, (put64(call.batch.prompt.lengths, 0, 0),
                          put64(call.batch.prompt.lengths, 1, 0),
                          put64(call.batch.prompt.lengths, 2, 0),
                          call.batch.prompt.tokens = NULL));
    INVALID_ROWS(NO_ROW, call.batch.prompt = (struct tessera_history){0});
}

/* Each row has a bias and a ban, and max_edits is 2. */
Test(api_rows, edits_that_do_not_fit)
{
    INVALID_ROWS(ROW_1, put64(call.batch.ban_offsets, 2, 3));
    INVALID_ROWS(ROW_1 | ROW_2, put64(call.batch.bias_offsets, 2, 0));
    INVALID_ROWS(ROW_1 | ROW_2, put64(call.batch.ban_offsets, 2, 4));
    INVALID_ROWS(ROW_1 | ROW_2, put64(call.batch.ban_offsets, 2, INT64_MAX));
    INVALID_ROWS(ROW_0, put64(call.batch.bias_offsets, 0, -1));
    INVALID_ROWS(ROW_0, put64(call.batch.bias_offsets, 0, INT64_MIN));
    INVALID_ROWS(ROW_0, put64(call.batch.ban_offsets, 0, -1));
    INVALID_ROWS(ROW_0 | ROW_1, put64(call.batch.ban_offsets, 1, -1));
    INVALID_ROWS(ROW_0, (put64(call.batch.bias_offsets, 0, INT64_MIN),
                         put64(call.batch.ban_offsets, 0, INT64_MIN)));
    INVALID_ROWS(ALL_ROWS, call.batch.biases = NULL);
    INVALID_ROWS(ALL_ROWS, call.batch.bans = NULL);
}

Test(api_rows, tokens_of_edits_out_of_range)
{
    INVALID_ROWS(ROW_1, put32(call.batch.bans, 1, -1));
    INVALID_ROWS(ROW_1, put32(call.batch.bans, 1, API_VOCAB));
    INVALID_ROWS(ROW_1, put32(&call.batch.biases[1].token, 0, -1));
    INVALID_ROWS(ROW_1, put32(&call.batch.biases[1].token, 0, API_VOCAB));
    INVALID_ROWS(ROW_1, put32(&call.batch.biases[1].token, 0, INT32_MIN));
}
