/*
 * cpu_reads.c - nothing past the ends of a row is read
 *
 * Rows stand at the very end, and at the very start, of memory that may be
 * read; a read beyond them ends the test.
 */

#include "against_reference.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 2 };

/* PAGES pages to write to, and one on either side that may not be read. */
static char *guarded_pages(size_t page)
{
    char *memory = mmap(NULL, (PAGES + 2) * page, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    cr_assert(memory != MAP_FAILED);
    cr_assert(mprotect(memory + page, PAGES * page, PROT_READ | PROT_WRITE) ==
              0);
    return memory + page;
}

/* One call that reads the row for everything: its peaks, its weights, a band,
 * a list, the raw row. */
static void ask_where_it_stands(const char *variant, const void *logits,
                                enum tessera_dtype type, int32_t vocab,
                                const uint32_t *mask, struct row_result *result)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_params params = TESSERA_PARAMS_INIT;
    struct tessera_batch batch = TESSERA_BATCH_INIT;
    struct tessera_outputs outputs = TESSERA_OUTPUTS_INIT;
    struct tessera_sampler *sampler;
    void *workspace;
    size_t workspace_bytes;
    float logprobs[2];
    uint8_t status;

    config.device = variant ? TESSERA_DEVICE_CPU : TESSERA_DEVICE_REFERENCE;
    config.vocab = vocab;
    config.max_history = 0;
    config.max_edits = 0;
    if (variant)
        setenv("TESSERA_CPU_VARIANT", variant, 1);
    cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
    cr_assert(tessera_workspace_create(sampler, 1, &workspace,
                                       &workspace_bytes) == TESSERA_OK);
    params.top_p = 0.9f;
    params.seed = (uint64_t)vocab;
    batch.rows = 1;
    batch.logits_type = type;
    batch.logits = logits;
    batch.logits_stride = vocab;
    batch.logits_rows = 1;
    batch.params = &params;
    if (mask) {
        batch.masks = mask;
        batch.mask_stride = (vocab + 31) / 32;
        batch.mask_count = 1;
    }
    memset(result, 0, sizeof(*result));
    outputs.token = &result->token;
    outputs.n_kept = &result->n_kept;
    outputs.weight_sum = &result->weight_sum;
    outputs.rank = &result->rank;
    outputs.status = &status;
    outputs.logprob = &logprobs[0];
    outputs.raw_logprob = &logprobs[1];
    outputs.top_n = 3;
    outputs.top_tokens = result->top_tokens;
    cr_assert(tessera_sample(sampler, workspace, workspace_bytes, &batch,
                             &outputs, NULL) == TESSERA_OK);
    unsetenv("TESSERA_CPU_VARIANT");
    memcpy(&result->logprob, &logprobs[0], 4);
    memcpy(&result->raw_logprob, &logprobs[1], 4);
    result->status = status;
    tessera_workspace_free(sampler, workspace);
    tessera_free(sampler);
}

static void expect_same_answers(char *logits, enum tessera_dtype type,
                                int32_t vocab, const uint32_t *mask)
{
    struct row_result wanted;
    struct row_result given;

    ask_where_it_stands(NULL, logits, type, vocab, mask, &wanted);
    for (size_t i = 0; variant_name(i); i++) {
        ask_where_it_stands(variant_name(i), logits, type, vocab, mask, &given);
        cr_assert(memcmp(&given, &wanted, sizeof(given)) == 0,
                  "%s, type %d, %d tokens", variant_name(i), (int)type, vocab);
    }
}

Test(cpu_reads, nothing_beyond_a_row_or_its_mask_is_read)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = guarded_pages(page);
    char *mask_memory = guarded_pages(page);
    struct random random = {11};

    for (int32_t vocab = 1; vocab <= 300; vocab++) {
        for (int type = 0; type < 3; type++) {
            size_t element = type == 0 ? 4 : 2;
            size_t bytes = (size_t)vocab * element;
            size_t mask_bytes = ((size_t)vocab + 31) / 32 * 4;
            char *end = memory + PAGES * page - bytes;
            char *mask_end = mask_memory + PAGES * page - mask_bytes;

            for (int32_t token = 0; token < vocab; token++)
                store_float(end, (enum tessera_dtype)type, (size_t)token,
                            (float)random_below(&random, 64) / 8 - 4);
            memset(mask_end, 0xb7, mask_bytes);
            expect_same_answers(end, (enum tessera_dtype)type, vocab, NULL);
            expect_same_answers(end, (enum tessera_dtype)type, vocab,
                                (const uint32_t *)(void *)mask_end);
            memmove(memory, end, bytes);
            memmove(mask_memory, mask_end, mask_bytes);
            expect_same_answers(memory, (enum tessera_dtype)type, vocab,
                                (const uint32_t *)(void *)mask_memory);
        }
    }
}

/* At every alignment that an element has; from 300 tokens down, the row's end
 * at the end of the page, its start is at each of them; here it is the start
 * that moves, in rows of more than a block. */
Test(cpu_reads, rows_may_stand_at_any_element)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = guarded_pages(page);
    struct random random = {12};

    for (size_t shift = 0; shift < 32; shift++) {
        for (int type = 0; type < 3; type++) {
            size_t element = type == 0 ? 4 : 2;
            int32_t vocab = 600 + (int32_t)shift;

            for (int32_t token = 0; token < vocab; token++)
                store_float(memory + shift * element, (enum tessera_dtype)type,
                            (size_t)token,
                            (float)random_below(&random, 64) / 8 - 4);
            expect_same_answers(memory + shift * element,
                                (enum tessera_dtype)type, vocab, NULL);
        }
    }
}
