/*
 * api_checks.c - what is wrong with a call of tessera_sample() is an error
 * that names it, and nothing was written
 */

#include "api_call.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* A pointer that is off its alignment by 'bytes'. */
static void *off(const void *pointer, size_t bytes)
{
    return (char *)(uintptr_t)pointer + bytes;
}

Test(api_checks, the_call_that_the_others_spoil_is_good)
{
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;

        build_full_call(&call, backend);
        cr_assert(call_run(&call) == TESSERA_OK, "%s: %s", backend->name,
                  tessera_last_error());
        for (size_t row = 0; row < API_ROWS; row++)
            cr_assert(call_result(&call, row).status == TESSERA_ROW_OK);
        call_free(&call);
    }
}

Test(api_checks, refuses_null)
{
    const char *required = "is NULL";

    REFUSED(call.sampler = NULL, "sampler", required);
    REFUSED(call.workspace = NULL, "workspace", required);
    REFUSED(call.batch.logits = NULL, "batch.logits", required);
    REFUSED(call.batch.params = NULL, "batch.params", required);
    REFUSED(call.batch.prompt.lengths = NULL, "batch.prompt.lengths", required);
    REFUSED(call.batch.generated.lengths = NULL, "batch.generated.lengths",
            required);
    REFUSED(call.batch.prompt.offsets = NULL, "batch.prompt.offsets", required);
    REFUSED(call.batch.generated.offsets = NULL, "batch.generated.offsets",
            required);
    REFUSED(call.batch.bias_offsets = NULL, "batch.bias_offsets", required);
    REFUSED(call.batch.ban_offsets = NULL, "batch.ban_offsets", required);
}

Test(api_checks, refuses_a_batch_and_outputs_of_null)
{
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;

        build_full_call(&call, backend);
        cr_assert(tessera_sample(call.sampler, call.workspace,
                                 call.workspace_bytes, NULL, &call.outputs,
                                 NULL) == TESSERA_BAD_ARGUMENT);
        expect_error(__FILE__, __LINE__, TEXTS("batch", "NULL"));
        cr_assert(tessera_sample(call.sampler, call.workspace,
                                 call.workspace_bytes, &call.batch, NULL,
                                 NULL) == TESSERA_BAD_ARGUMENT);
        expect_error(__FILE__, __LINE__, TEXTS("outputs", "NULL"));
        call_free(&call);
    }
}

/* API-04 (a), flashinfer#1634: a wrong shape was accepted. */
Test(api_checks, refuses_sizes_and_strides_that_do_not_fit)
{
    REFUSED(call.batch.rows = -1, "batch.rows", "-1", "0 .. 4");
    REFUSED(call.batch.rows = API_MAX_ROWS + 1, "batch.rows", "5", "0 .. 4");
    REFUSED(call.batch.logits_stride = API_VOCAB - 1, "batch.logits_stride",
            "39", "40 ..");
    REFUSED(call.batch.logits_stride = -API_VOCAB, "batch.logits_stride", "-40",
            "40 ..");
    REFUSED(call.batch.logits_stride = INT64_MAX, "batch.logits_stride",
            "9223372036854775807", "40 ..");
    REFUSED(call.batch.logits_rows = 0, "batch.logits_rows", "0", "1 ..");
    REFUSED(call.batch.logits_rows = -1, "batch.logits_rows", "-1", "1 ..");
    REFUSED(call.batch.logits_rows = INT64_MAX, "batch.logits_rows",
            "9223372036854775807", "1 ..");
    REFUSED((call.batch.row_index = NULL, call.batch.logits_rows = 2),
            "batch.logits_rows", "2", "3 ..");
    REFUSED(call.batch.params_stride = sizeof(struct tessera_params) - 8,
            "batch.params_stride", "56", "64 ..");
    REFUSED(call.batch.params_stride = 0, "batch.params_stride", "0", "64 ..");
    REFUSED(call.batch.params_stride = sizeof(struct tessera_params) + 4,
            "batch.params_stride", "68", "multiple of 8");
    REFUSED(call.batch.mask_stride = 1, "batch.mask_stride", "1", "2 ..");
    REFUSED(call.batch.mask_stride = -2, "batch.mask_stride", "-2", "2 ..");
    REFUSED(call.batch.mask_count = -1, "batch.mask_count", "-1", "0 ..");
    REFUSED((call.batch.mask_index = NULL, call.batch.mask_count = 2),
            "batch.mask_count", "2", "3 ..");
    REFUSED(call.batch.masks = NULL, "batch.mask_count", "1", "0 .. 0");
    REFUSED(call.outputs.top_n = -1, "outputs.top_n", "-1", "0 .. 5");
    REFUSED(call.outputs.top_n = API_TOP_N + 1, "outputs.top_n", "6", "0 .. 5");
}

Test(api_checks, refuses_unknown_values)
{
    REFUSED(call.batch.logits_type = (enum tessera_dtype)3, "batch.logits_type",
            "3", "0 .. 2");
    REFUSED(call.batch.logits_type = (enum tessera_dtype) - 1,
            "batch.logits_type", "0 .. 2");
    REFUSED(call.batch.params_memory = (enum tessera_memory)2,
            "batch.params_memory", "2", "0 .. 1");
    REFUSED(call.batch.stages = 32, "batch.stages", "0x20", "0x1f");
    REFUSED(call.batch.max_top_k = -1, "batch.max_top_k", "-1",
            "0 .. 2147483647");
}

Test(api_checks, refuses_pointers_that_are_not_aligned)
{
    const char *multiple = "multiple of";

    REFUSED(call.workspace = off(call.workspace, 8), "workspace", multiple);
    REFUSED(call.batch.logits = off(call.batch.logits, 2), "batch.logits",
            multiple);
    REFUSED(call.batch.row_index = off(call.batch.row_index, 2),
            "batch.row_index", multiple);
    REFUSED(call.batch.row_maxima = off(call.batch.row_maxima, 2),
            "batch.row_maxima", multiple);
    REFUSED(call.batch.params = off(call.batch.params, 4), "batch.params",
            multiple);
    REFUSED(call.batch.prompt.tokens = off(call.batch.prompt.tokens, 1),
            "batch.prompt.tokens", multiple);
    REFUSED(call.batch.prompt.offsets = off(call.batch.prompt.offsets, 4),
            "batch.prompt.offsets", multiple);
    REFUSED(call.batch.prompt.lengths = off(call.batch.prompt.lengths, 4),
            "batch.prompt.lengths", multiple);
    REFUSED(call.batch.generated.tokens = off(call.batch.generated.tokens, 1),
            "batch.generated.tokens", multiple);
    REFUSED(call.batch.generated.offsets = off(call.batch.generated.offsets, 4),
            "batch.generated.offsets", multiple);
    REFUSED(call.batch.generated.lengths = off(call.batch.generated.lengths, 4),
            "batch.generated.lengths", multiple);
    REFUSED(call.batch.biases = off(call.batch.biases, 2), "batch.biases",
            multiple);
    REFUSED(call.batch.bias_offsets = off(call.batch.bias_offsets, 4),
            "batch.bias_offsets", multiple);
    REFUSED(call.batch.bans = off(call.batch.bans, 2), "batch.bans", multiple);
    REFUSED(call.batch.ban_offsets = off(call.batch.ban_offsets, 4),
            "batch.ban_offsets", multiple);
    REFUSED(call.batch.masks = off(call.batch.masks, 2), "batch.masks",
            multiple);
    REFUSED(call.batch.mask_index = off(call.batch.mask_index, 2),
            "batch.mask_index", multiple);
}

Test(api_checks, refuses_outputs_that_are_not_aligned)
{
    const char *multiple = "multiple of";

    REFUSED(call.outputs.token = off(call.outputs.token, 1), "outputs.token",
            multiple);
    REFUSED(call.outputs.logprob = off(call.outputs.logprob, 2),
            "outputs.logprob", multiple);
    REFUSED(call.outputs.raw_logprob = off(call.outputs.raw_logprob, 3),
            "outputs.raw_logprob", multiple);
    REFUSED(call.outputs.rank = off(call.outputs.rank, 2), "outputs.rank",
            multiple);
    REFUSED(call.outputs.top_tokens = off(call.outputs.top_tokens, 2),
            "outputs.top_tokens", multiple);
    REFUSED(call.outputs.top_logprobs = off(call.outputs.top_logprobs, 2),
            "outputs.top_logprobs", multiple);
    REFUSED(call.outputs.n_kept = off(call.outputs.n_kept, 2), "outputs.n_kept",
            multiple);
    REFUSED(call.outputs.weight_sum = off(call.outputs.weight_sum, 4),
            "outputs.weight_sum", multiple);
}

Test(api_checks, refuses_struct_sizes_it_does_not_know)
{
    REFUSED(call.batch.sizeof_batch = 0, "batch.sizeof_batch", "0");
    REFUSED(call.batch.sizeof_batch -= 1, "batch.sizeof_batch");
    REFUSED(call.batch.sizeof_batch = SIZE_MAX, "batch.sizeof_batch");
    REFUSED(call.outputs.sizeof_outputs = 0, "outputs.sizeof_outputs", "0");
    REFUSED(call.outputs.sizeof_outputs -= 1, "outputs.sizeof_outputs");
    REFUSED(call.outputs.sizeof_outputs = SIZE_MAX, "outputs.sizeof_outputs");
}

Test(api_checks, refuses_structs_that_are_not_aligned)
{
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;
        struct tessera_sampler *sampler;
        _Alignas(16) char room[sizeof(call.batch) + sizeof(call.outputs) +
                               sizeof(struct tessera_config)] = {0};

        build_full_call(&call, backend);
        cr_assert(tessera_sample(call.sampler, call.workspace,
                                 call.workspace_bytes, off(room, 1),
                                 &call.outputs, NULL) == TESSERA_BAD_ARGUMENT);
        expect_error(__FILE__, __LINE__, TEXTS("batch", "multiple of"));
        cr_assert(tessera_sample(call.sampler, call.workspace,
                                 call.workspace_bytes, &call.batch,
                                 off(room, 1), NULL) == TESSERA_BAD_ARGUMENT);
        expect_error(__FILE__, __LINE__, TEXTS("outputs", "multiple of"));
        cr_assert(tessera_create(off(room, 1), &sampler) ==
                  TESSERA_BAD_ARGUMENT);
        expect_error(__FILE__, __LINE__, TEXTS("config", "multiple of"));
        call_free(&call);
    }
}

/* A batch and outputs of a later version of the header: the call as it is, and
 * 16 bytes more of which 'last' is the last. */
static enum tessera_status sample_later(struct call *call, char last)
{
    struct later_batch {
        struct tessera_batch batch;
        char more[16];
    } batch = {call->batch, {0}};
    struct later_outputs {
        struct tessera_outputs outputs;
        char more[16];
    } outputs = {call->outputs, {0}};
    enum tessera_status statuses[2];

    batch.batch.sizeof_batch = sizeof(batch);
    outputs.outputs.sizeof_outputs = sizeof(outputs);
    batch.more[15] = last;
    statuses[0] =
        tessera_sample(call->sampler, call->workspace, call->workspace_bytes,
                       &batch.batch, &call->outputs, NULL);
    outputs.more[15] = last;
    statuses[1] =
        tessera_sample(call->sampler, call->workspace, call->workspace_bytes,
                       &call->batch, &outputs.outputs, NULL);
    cr_assert(statuses[0] == statuses[1]);
    return statuses[0];
}

Test(api_checks, takes_longer_structs_that_say_nothing_new)
{
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;

        build_full_call(&call, backend);
        cr_assert(sample_later(&call, 0) == TESSERA_OK, "%s: %s", backend->name,
                  tessera_last_error());
        cr_assert(sample_later(&call, 1) == TESSERA_BAD_ARGUMENT, "%s",
                  backend->name);
        call_free(&call);
    }
}

/* 0 rows do nothing, with no more than the structs given. */
Test(api_checks, takes_0_rows)
{
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;
        struct tessera_batch batch = TESSERA_BATCH_INIT;

        build_full_call(&call, backend);
        int32_t before = call.outputs.token[0];
        cr_assert(tessera_sample(call.sampler, NULL, 0, &batch, &call.outputs,
                                 NULL) == TESSERA_OK,
                  "%s: %s", backend->name, tessera_last_error());
        cr_assert(call.outputs.token[0] == before);
        call_free(&call);
    }
}

Test(api_checks, takes_null_for_every_output)
{
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;
        struct tessera_outputs none = TESSERA_OUTPUTS_INIT;

        build_full_call(&call, backend);
        cr_assert(tessera_sample(call.sampler, call.workspace,
                                 call.workspace_bytes, &call.batch, &none,
                                 NULL) == TESSERA_OK);
        call_free(&call);
    }
}
