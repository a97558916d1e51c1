/*
 * cases_bases.c - offsets beyond 32 bits, from bases far before what is read
 *
 * DT-02, flashinfer#2937, again, where no sparse mapping can be had, as on a
 * GPU: only the last row of a table is there.  Its base lies as far before it
 * as the offset says, where nothing is; an offset that wraps reads there.
 */

#include "case_check.h"
#include "floats.h"
#include "random_rows.h"

#include <criterion/criterion.h>

enum { VOCAB = 100, BEST = 77 };

static const int64_t strides[] = {(INT64_C(1) << 31) + 8,
                                  (INT64_C(1) << 32) + 8};
enum { STRIDES = 2 };

/* A call of one row, greedy, whose best token is BEST. */
struct one_row {
    const char *backend;
    struct tessera_sampler *sampler;
    void *memory[16];
    size_t count;
    void *workspace;
    size_t workspace_bytes;
    struct tessera_params params;
    struct tessera_batch batch;
    struct tessera_outputs outputs;
};

/* A copy on the sampler's side. */
static void *there(struct one_row *one, const void *values, size_t bytes)
{
    void **memory = &one->memory[one->count++];

    cr_assert(one->count <= sizeof(one->memory) / sizeof(one->memory[0]));
    cr_assert(tessera_memory_create(one->sampler, bytes, memory) ==
                  TESSERA_OK &&
              tessera_memory_write(one->sampler, *memory, values, bytes) ==
                  TESSERA_OK);
    return *memory;
}

/* The base from which that many bytes lead to the memory. */
static void *before(const void *memory, int64_t elements, size_t bytes)
{
    return (void *)((uintptr_t)memory - (uintptr_t)elements * bytes);
}

static void start(struct one_row *one, const struct backend *backend,
                  enum tessera_dtype type)
{
    static const int32_t no_token = -2;
    static const float zeros[VOCAB];
    size_t element = type == TESSERA_FLOAT32 ? 4 : 2;
    struct tessera_config config = TESSERA_CONFIG_INIT;
    char logits[sizeof(zeros)] = {0};

    *one = (struct one_row){.backend = backend->name,
                            .params = TESSERA_PARAMS_INIT,
                            .batch = TESSERA_BATCH_INIT,
                            .outputs = TESSERA_OUTPUTS_INIT};
    config.device = backend->device;
    config.vocab = VOCAB;
    config.max_rows = 1;
    cr_assert(tessera_create(&config, &one->sampler) == TESSERA_OK);
    cr_assert(tessera_workspace_create(one->sampler, 1, &one->workspace,
                                       &one->workspace_bytes) == TESSERA_OK);
    store_float(logits, type, BEST, 5);
    one->params.temperature = 0;
    one->batch.rows = 1;
    one->batch.logits_type = type;
    one->batch.logits = there(one, logits, VOCAB * element);
    one->batch.logits_stride = VOCAB;
    one->batch.logits_rows = 1;
    one->batch.params = &one->params;
    one->outputs.token = there(one, &no_token, sizeof(no_token));
}

static void expect_token(struct one_row *one, int32_t expected)
{
    int32_t token;

    cr_assert(tessera_sample(one->sampler, one->workspace, one->workspace_bytes,
                             &one->batch, &one->outputs, NULL) == TESSERA_OK,
              "%s: %s", one->backend, tessera_last_error());
    cr_assert(tessera_memory_read(one->sampler, &token, one->outputs.token,
                                  sizeof(token)) == TESSERA_OK,
              "%s: %s", one->backend, tessera_last_error());
    cr_assert(token == expected, "%s: token %d, not %d", one->backend, token,
              expected);
}

static void end(struct one_row *one)
{
    for (size_t i = 0; i < one->count; i++)
        tessera_memory_free(one->sampler, one->memory[i]);
    tessera_workspace_free(one->sampler, one->workspace);
    tessera_free(one->sampler);
}

Test(cases_bases, strides_of_logits_beyond_32_bits)
{
    static const int32_t second = 1;

    for (EACH_BACKEND(backend))
        for (int type = TESSERA_FLOAT32; type <= TESSERA_BFLOAT16; type++)
            for (size_t i = 0; i < STRIDES; i++) {
                struct one_row one;

                start(&one, backend, (enum tessera_dtype)type);
                one.batch.logits = before(one.batch.logits, strides[i],
                                          type == TESSERA_FLOAT32 ? 4 : 2);
                one.batch.logits_stride = strides[i];
                one.batch.logits_rows = 2;
                one.batch.row_index = there(&one, &second, sizeof(second));
                expect_token(&one, BEST);
                end(&one);
            }
}

Test(cases_bases, strides_of_masks_beyond_32_bits)
{
    static const uint32_t mask[(VOCAB + 31) / 32] = {0, 1 << 3};
    static const int32_t second = 1;

    for (EACH_BACKEND(backend))
        for (size_t i = 0; i < STRIDES; i++) {
            struct one_row one;

            start(&one, backend, TESSERA_FLOAT32);
            one.batch.masks = before(there(&one, mask, sizeof(mask)),
                                     strides[i], sizeof(*mask));
            one.batch.mask_stride = strides[i];
            one.batch.mask_count = 2;
            one.batch.mask_index = there(&one, &second, sizeof(second));
            expect_token(&one, 35);
            end(&one);
        }
}

Test(cases_bases, offsets_of_history_beyond_32_bits)
{
    static const int32_t raised[] = {9, 9};
    static const int64_t length = 2;

    for (EACH_BACKEND(backend))
        for (size_t i = 0; i < 2 * STRIDES; i++) {
            int64_t at = strides[i / 2];
            struct tessera_history history;
            struct one_row one;

            start(&one, backend, TESSERA_FLOAT32);
            history.tokens = before(there(&one, raised, sizeof(raised)), at,
                                    sizeof(*raised));
            history.offsets = there(&one, &at, sizeof(at));
            history.lengths = there(&one, &length, sizeof(length));
            one.params.penalize_prompt = 1;
            one.params.frequency_penalty = -4;
            if (i % 2)
                one.batch.prompt = history;
            else
                one.batch.generated = history;
            expect_token(&one, 9);
            end(&one);
        }
}

Test(cases_bases, offsets_of_edits_beyond_32_bits)
{
    static const struct tessera_bias bias = {9, 6};
    static const int32_t ban = BEST;

    for (EACH_BACKEND(backend))
        for (size_t i = 0; i < STRIDES; i++) {
            int64_t offsets[] = {strides[i], strides[i] + 1};
            struct one_row one;

            start(&one, backend, TESSERA_FLOAT32);
            one.batch.bans =
                before(there(&one, &ban, sizeof(ban)), offsets[0], sizeof(ban));
            one.batch.ban_offsets = there(&one, offsets, sizeof(offsets));
            expect_token(&one, 0);
            one.batch.biases = before(there(&one, &bias, sizeof(bias)),
                                      offsets[0], sizeof(bias));
            one.batch.bias_offsets = there(&one, offsets, sizeof(offsets));
            expect_token(&one, 9);
            end(&one);
        }
}
