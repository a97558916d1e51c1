/*
 * api_call.c - a call that uses everything, to be spoiled in one place
 */

#include "api_call.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

void build_full_call(struct call *call, const struct backend *backend)
{
    static const float logits[API_VOCAB] = {3, 1, 2};
    static const uint32_t mask[] = {0xffffffff, 0xff};
    static const int32_t history[] = {1, 2, 3};
    static const struct tessera_bias biases[] = {{2, 1}};
    static const int32_t bans[] = {4};
    const struct layout layout = {.shared = true,
                                  .params_memory = TESSERA_MEMORY_SAMPLER};
    struct test_row rows[API_ROWS];
    struct tessera_config config = TESSERA_CONFIG_INIT;

    for (size_t i = 0; i < API_ROWS; i++) {
        rows[i] = row_of(TESSERA_FLOAT32, API_VOCAB, logits);
        rows[i].params.top_k = 3;
        rows[i].params.presence_penalty = 1;
        rows[i].mask = mask;
        rows[i].prompt = (struct id_list){history, 3};
        rows[i].generated = (struct id_list){history, 2};
        rows[i].bias = (struct bias_list){biases, 1};
        rows[i].bans = (struct id_list){bans, 1};
    }
    config.device = backend->device;
    config.vocab = API_VOCAB;
    config.max_rows = API_MAX_ROWS;
    config.max_history = 5;
    config.max_edits = 2;
    config.max_top_logprobs = API_TOP_N;
    call_build(call, backend, rows, API_ROWS, &layout, &config);
    call->outputs.top_n = API_TOP_N;
}

void expect_error(const char *file, int line, struct texts texts)
{
    for (size_t i = 0; i < texts.count; i++)
        cr_assert(strstr(tessera_last_error(), texts.text[i]),
                  "%s:%d: '%s' does not have '%s' in it", file, line,
                  tessera_last_error(), texts.text[i]);
    cr_assert(!strchr(tessera_last_error(), '\n'), "%s:%d: more than a line",
              file, line);
}

/* Not by call_run(), which would follow what is wrong with the call; pointers
 * are of the wrong side for a CUDA sampler, which must not follow them either.
 */
void expect_refused(const char *file, int line, const struct backend *backend,
                    struct call *call, struct texts texts)
{
    char *before[CALL_ARRAYS];

    for (size_t i = 0; i < call->array_count; i++) {
        before[i] = malloc(call->array_bytes[i]);
        memcpy(before[i], call->arrays[i], call->array_bytes[i]);
    }
    enum tessera_status status =
        tessera_sample(call->sampler, call->workspace, call->workspace_bytes,
                       &call->batch, &call->outputs, NULL);
    cr_assert(status == TESSERA_BAD_ARGUMENT, "%s:%d: %s: %s", file, line,
              backend->name, tessera_status_name(status));
    expect_error(file, line, texts);
    for (size_t i = 0; i < call->array_count; i++) {
        cr_assert(memcmp(before[i], call->arrays[i], call->array_bytes[i]) == 0,
                  "%s:%d: %s: array %zu was written", file, line, backend->name,
                  i);
        free(before[i]);
    }
}
