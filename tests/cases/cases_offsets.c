/*
 * cases_offsets.c - offsets beyond 32 bits, in a sparse mapping
 *
 * DT-02, flashinfer#2937: row * stride was computed in 32 bits and wrapped to
 * the first row.  Pages that are only read cost no memory.
 */

#include "case_check.h"
#include "floats.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <sys/mman.h>

enum { VOCAB = 100, BEST = 77 };

/* Zeros.  Skips the test where the address space is limited. */
static void *map_sparse(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        cr_skip_test("no %zu bytes of address space", bytes);
    return memory;
}

static struct test_row zeros(enum tessera_dtype type)
{
    static const float logits[VOCAB];
    struct test_row row = row_of(type, VOCAB, logits);

    row.params.temperature = 0;
    return row;
}

static void expect_token(const struct backend *backend, const struct call *call,
                         size_t row, int32_t token)
{
    struct row_result result = call_result(call, row);

    cr_assert(result.token == token && result.status == TESSERA_ROW_OK,
              "%s, row %zu: token %d, status %u", backend->name, row,
              result.token, result.status);
}

/* Runs a built call without call_run()'s copies of its inputs, which only know
 * what the builder allocated. */
static void sample(const struct backend *backend, struct call *call)
{
    cr_assert(tessera_sample(call->sampler, call->workspace,
                             call->workspace_bytes, &call->batch,
                             &call->outputs, NULL) == TESSERA_OK,
              "%s: %s", backend->name, tessera_last_error());
}

Test(cases_offsets, strides_of_logits_beyond_32_bits)
{
    static const int64_t strides[] = {(INT64_C(1) << 32) + 8,
                                      (INT64_C(1) << 31) + 8};
    const struct layout layout = {0};

    for (size_t i = 0; i < 2; i++) {
        size_t bytes = ((size_t)strides[i] + VOCAB) * sizeof(float);
        float *logits = map_sparse(bytes);
        struct test_row rows[] = {zeros(TESSERA_FLOAT32),
                                  zeros(TESSERA_FLOAT32)};

        logits[strides[i] + BEST] = 5;
        for (EACH_HOST_BACKEND(backend)) {
            struct call call;

            call_build(&call, backend, rows, 2, &layout, NULL);
            call.batch.logits = logits;
            call.batch.logits_stride = strides[i];
            sample(backend, &call);
            expect_token(backend, &call, 0, 0);
            expect_token(backend, &call, 1, BEST);
            call_free(&call);
        }
        munmap(logits, bytes);
    }
}

Test(cases_offsets, many_rows_of_bfloat16_beyond_32_bits)
{
    enum { ROWS = 32770, STRIDE = 131072 };
    size_t bytes = ((size_t)(ROWS - 1) * STRIDE + VOCAB) * sizeof(uint16_t);
    uint16_t *logits = map_sparse(bytes);
    struct test_row *rows = malloc(ROWS * sizeof(*rows));
    const struct layout layout = {0};

    logits[(size_t)(ROWS - 1) * STRIDE + BEST] = bfloat16_of(5);
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = zeros(TESSERA_BFLOAT16);
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;

        call_build(&call, backend, rows, ROWS, &layout, NULL);
        call.batch.logits = logits;
        call.batch.logits_stride = STRIDE;
        sample(backend, &call);
        for (size_t i = 0; i < ROWS; i++)
            expect_token(backend, &call, i, i == ROWS - 1 ? BEST : 0);
        call_free(&call);
    }
    free(rows);
    munmap(logits, bytes);
}

Test(cases_offsets, strides_of_masks_beyond_32_bits)
{
    static const uint32_t mask[] = {0, 0, 0, 0};
    int64_t stride = (INT64_C(1) << 32) + 8;
    size_t bytes = ((size_t)stride + 4) * sizeof(uint32_t);
    uint32_t *masks = map_sparse(bytes);
    const struct layout layout = {0};
    struct test_row rows[] = {zeros(TESSERA_FLOAT32), zeros(TESSERA_FLOAT32)};

    rows[0].mask = mask;
    rows[1].mask = mask;
    masks[0] = 1;
    masks[stride + BEST / 32] = UINT32_C(1) << BEST % 32;
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;

        call_build(&call, backend, rows, 2, &layout, NULL);
        call.batch.masks = masks;
        call.batch.mask_stride = stride;
        sample(backend, &call);
        expect_token(backend, &call, 0, 0);
        expect_token(backend, &call, 1, BEST);
        call_free(&call);
    }
    munmap(masks, bytes);
}

/* The history starts past 2^32 entries; wrapped, it would hold zeros only.
 * So it does for bias and bans, whose entries are at the same place. */
Test(cases_offsets, offsets_of_history_and_edits_beyond_32_bits)
{
    static const struct tessera_bias bias[] = {{0, 1}};
    int64_t at = (INT64_C(1) << 32) + 8;
    int64_t length = 1;
    int64_t edit_offsets[] = {at, at + 1};
    size_t bytes = ((size_t)at + 1) * sizeof(struct tessera_bias);
    void *memory = map_sparse(bytes);
    const struct layout layout = {0};
    struct test_row row = zeros(TESSERA_FLOAT32);

    row.params.presence_penalty = -1;
    row.generated = IDS(0);
    row.bans = IDS(0);
    row.bias = (struct bias_list){bias, 1};
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;

        call_build(&call, backend, &row, 1, &layout, NULL);
        call.batch.bias_offsets = NULL;
        call.batch.biases = NULL;
        call.batch.ban_offsets = NULL;
        call.batch.bans = NULL;
        ((int32_t *)memory)[at] = BEST; /* raised by a presence below 0 */
        call.batch.generated = (struct tessera_history){memory, &at, &length};
        sample(backend, &call);
        expect_token(backend, &call, 0, BEST);

        ((int32_t *)memory)[at] = 1; /* the zeros would ban the best */
        call.batch.generated = (struct tessera_history){NULL, NULL, NULL};
        call.batch.bans = memory;
        call.batch.ban_offsets = edit_offsets;
        sample(backend, &call);
        expect_token(backend, &call, 0, 0);

        ((struct tessera_bias *)memory)[at] = (struct tessera_bias){BEST, 1};
        call.batch.bans = NULL;
        call.batch.ban_offsets = NULL;
        call.batch.biases = memory;
        call.batch.bias_offsets = edit_offsets;
        sample(backend, &call);
        expect_token(backend, &call, 0, BEST);
        call_free(&call);
    }
    munmap(memory, bytes);
}
