/*
 * survivors.c - what tests/mutate/run found that no other test would notice
 */

#include "../../host/check_row.h"

#include <tessera.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static const struct tessera_params initial = TESSERA_PARAMS_INIT;

/* Params that are all off but for one value use these stages. */
#define EXPECT_STAGES(field, value, stages)                                    \
    do {                                                                       \
        struct tessera_params params = initial;                                \
        params.temperature = 0;                                                \
        params.field = value;                                                  \
        cr_assert(eq(u32, tessera_params_stages(&params), stages));            \
    } while (0)

/* A stage that is as near to off as a float can be is used all the same. */
Test(survivors, stages_are_used_at_the_floats_next_to_off)
{
    const float tiny = 0x1p-149f;

    EXPECT_STAGES(top_p, 1.0f, 0);
    EXPECT_STAGES(top_p, 0x1.fffffep-1f, TESSERA_STAGE_TOP_P);
    EXPECT_STAGES(min_p, tiny, TESSERA_STAGE_MIN_P);
    EXPECT_STAGES(repetition_penalty, 0x1.000002p+0f, TESSERA_STAGE_PENALTIES);
    EXPECT_STAGES(repetition_penalty, 0x1.fffffep-1f, TESSERA_STAGE_PENALTIES);
    EXPECT_STAGES(frequency_penalty, tiny, TESSERA_STAGE_PENALTIES);
    EXPECT_STAGES(frequency_penalty, -tiny, TESSERA_STAGE_PENALTIES);
    EXPECT_STAGES(presence_penalty, tiny, TESSERA_STAGE_PENALTIES);
    EXPECT_STAGES(presence_penalty, -tiny, TESSERA_STAGE_PENALTIES);
}

Test(survivors, edits_take_the_smallest_and_the_largest_vocabulary)
{
    const struct tessera_bias first = {0, 1};
    const struct tessera_bias last = {TESSERA_MAX_VOCAB - 1, 1};
    const int32_t bans[] = {0};
    struct tessera_edits edits = {1, 1, 1, &first, bans};

    cr_assert(eq(int, tessera_params_check(&initial, &edits), TESSERA_OK));
    edits.vocab = TESSERA_MAX_VOCAB;
    edits.biases = &last;
    cr_assert(eq(int, tessera_params_check(&initial, &edits), TESSERA_OK));
}

/* A config that a caller says is as long as this. */
static enum tessera_status create_from_config_of(size_t bytes)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_sampler *sampler;
    char *memory = calloc(1, bytes);

    cr_assert(memory != NULL);
    config.sizeof_config = bytes;
    config.vocab = 8;
    memcpy(memory, &config, sizeof(config));
    enum tessera_status status = tessera_create((const void *)memory, &sampler);
    tessera_free(sampler);
    free(memory);
    return status;
}

Test(survivors, structs_may_be_as_long_as_the_limit)
{
    cr_assert(eq(int, create_from_config_of(65536), TESSERA_OK));
    cr_assert(eq(int, create_from_config_of(65537), TESSERA_BAD_ARGUMENT));
}

Test(survivors, structs_must_be_aligned)
{
    struct tessera_config configs[2] = {TESSERA_CONFIG_INIT};
    char *shifted = (char *)configs + 4;
    struct tessera_sampler *sampler;

    configs[0].vocab = 8;
    memmove(shifted, configs, sizeof(configs[0]));
    cr_assert(eq(int, tessera_create((const void *)shifted, &sampler),
                 TESSERA_BAD_ARGUMENT));
    cr_assert(strstr(tessera_last_error(), "config is 0x") &&
              strstr(tessera_last_error(), "a multiple of 8 bytes"));
}

/* A row of 'vocab' zeros, at most 80, and nothing else. */
static struct tessera_batch plain_batch(void)
{
    static const float logits[80];
    static struct tessera_params params = TESSERA_PARAMS_INIT;
    struct tessera_batch batch = TESSERA_BATCH_INIT;

    batch.rows = 1;
    batch.logits = logits;
    batch.logits_rows = 1;
    batch.logits_stride = 80;
    batch.params = &params;
    return batch;
}

static enum tessera_status
sample(int32_t vocab, const struct tessera_batch *batch, uint8_t *row_status)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_outputs outputs = TESSERA_OUTPUTS_INIT;
    struct tessera_sampler *sampler;
    void *workspace;
    size_t bytes;

    config.vocab = vocab;
    outputs.status = row_status;
    cr_assert(eq(int, tessera_create(&config, &sampler), TESSERA_OK));
    cr_assert(eq(int, tessera_workspace_create(sampler, 1, &workspace, &bytes),
                 TESSERA_OK));
    enum tessera_status status =
        tessera_sample(sampler, workspace, bytes, batch, &outputs, NULL);
    tessera_workspace_free(sampler, workspace);
    tessera_free(sampler);
    return status;
}

Test(survivors, a_mask_has_a_word_for_every_32_tokens_begun)
{
    static const uint32_t mask[3] = {1, 1, 1};
    struct tessera_batch batch = plain_batch();
    uint8_t row_status;

    batch.masks = mask;
    batch.mask_count = 1;
    for (int32_t vocab = 1; vocab <= 80; vocab++) {
        int64_t words = vocab <= 32 ? 1 : vocab <= 64 ? 2 : 3;

        batch.mask_stride = words;
        cr_assert(eq(int, sample(vocab, &batch, &row_status), TESSERA_OK),
                  "vocab %d", vocab);
        batch.mask_stride = words - 1;
        cr_assert(
            eq(int, sample(vocab, &batch, &row_status), TESSERA_BAD_ARGUMENT),
            "vocab %d", vocab);
    }
}

/* What a stride and a count span must be addressable, together. */
Test(survivors, tables_are_refused_that_no_memory_could_hold)
{
    struct tessera_batch batch = plain_batch();
    uint8_t row_status;

    batch.logits_rows = PTRDIFF_MAX / 4 / 80;
    cr_assert(eq(int, sample(80, &batch, &row_status), TESSERA_OK));
    batch.logits_rows++;
    cr_assert(eq(int, sample(80, &batch, &row_status), TESSERA_BAD_ARGUMENT));
}

/* The largest stride of params is in its range, and no multiple of 8. */
Test(survivors, the_largest_stride_of_params_is_only_not_aligned)
{
    struct tessera_batch batch = plain_batch();
    uint8_t row_status;

    batch.params_stride = PTRDIFF_MAX;
    cr_assert(eq(int, sample(80, &batch, &row_status), TESSERA_BAD_ARGUMENT));
    cr_assert(strstr(tessera_last_error(), "a multiple of 8") != NULL);
    batch.params_stride -= 7;
    cr_assert(eq(int, sample(80, &batch, &row_status), TESSERA_OK));
    batch.params_stride += 8;
    cr_assert(eq(int, sample(80, &batch, &row_status), TESSERA_BAD_ARGUMENT));
    cr_assert(strstr(tessera_last_error(), "its range is") != NULL);
}

Test(survivors, tokens_of_a_history_need_lengths)
{
    static const int32_t tokens[] = {1};
    struct tessera_batch batch = plain_batch();
    uint8_t row_status;

    batch.prompt.tokens = tokens;
    cr_assert(eq(int, sample(80, &batch, &row_status), TESSERA_BAD_ARGUMENT));
    cr_assert(strstr(tessera_last_error(), "batch.prompt.lengths is NULL") !=
              NULL);
    batch.prompt.tokens = NULL;
    batch.generated.tokens = tokens;
    cr_assert(eq(int, sample(80, &batch, &row_status), TESSERA_BAD_ARGUMENT));
    cr_assert(strstr(tessera_last_error(), "batch.generated.lengths is NULL") !=
              NULL);
}

/* What lies before the arrays would do; it is not the row's. */
Test(survivors, an_offset_of_minus_1_is_invalid_even_where_memory_is_good)
{
    static const struct tessera_bias biases[] = {{1, 1}, {2, 1}};
    static const int32_t ids[] = {1, 2};
    static const int64_t offsets[] = {-1, 0};
    static const int64_t lengths[] = {1};
    struct tessera_batch batch = plain_batch();
    uint8_t row_status;

    batch.biases = biases + 1;
    batch.bias_offsets = offsets;
    cr_assert(eq(int, sample(80, &batch, &row_status), TESSERA_OK));
    cr_assert(eq(u8, row_status, TESSERA_ROW_INVALID));

    batch = plain_batch();
    batch.bans = ids + 1;
    batch.ban_offsets = offsets;
    cr_assert(eq(int, sample(80, &batch, &row_status), TESSERA_OK));
    cr_assert(eq(u8, row_status, TESSERA_ROW_INVALID));

    batch = plain_batch();
    batch.prompt = (struct tessera_history){ids + 1, offsets, lengths};
    cr_assert(eq(int, sample(80, &batch, &row_status), TESSERA_OK));
    cr_assert(eq(u8, row_status, TESSERA_ROW_INVALID));
}

/* Nothing is kept from a call that had its logits at the same place: the calls
 * follow on each other, so that the stack still holds what the first left. */
Test(survivors, a_call_reads_its_logits_anew)
{
    enum { CALLS = 4 };
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_outputs outputs = TESSERA_OUTPUTS_INIT;
    struct tessera_batch batch = plain_batch();
    struct tessera_sampler *sampler;
    void *workspace;
    size_t bytes;
    float logits[CALLS] = {0};
    int32_t tokens[CALLS];
    int32_t ranks[CALLS];

    config.vocab = CALLS;
    batch.logits = logits;
    batch.params->temperature = 0;
    cr_assert(eq(int, tessera_create(&config, &sampler), TESSERA_OK));
    cr_assert(eq(int, tessera_workspace_create(sampler, 1, &workspace, &bytes),
                 TESSERA_OK));
    for (int call = 0; call < CALLS; call++) {
        logits[call] = (float)call + 1; /* the best so far */
        outputs.token = &tokens[call];
        outputs.rank = &ranks[call];
        tessera_sample(sampler, workspace, bytes, &batch, &outputs, NULL);
    }
    for (int call = 0; call < CALLS; call++) {
        cr_assert(eq(i32, tokens[call], call));
        cr_assert(eq(i32, ranks[call], 1));
    }
    tessera_workspace_free(sampler, workspace);
    tessera_free(sampler);
}
