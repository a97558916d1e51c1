/*
 * sample_faults.c - a call of tessera_sample(), or a config, with one fault
 */

#include "sample_call.h"

/* A pointer that is not aligned to anything. */
static void *shifted(const void *pointer)
{
    return (void *)((uintptr_t)pointer + 1);
}

/* Below or above a range that does not reach INT32_MAX. */
static int32_t outside(struct bytes *bytes, int32_t least, int32_t most)
{
    int32_t off = (int32_t)take_below(bytes, 256);

    switch (take_below(bytes, 4)) {
    case 0:
        return least - 1 - off;
    case 1:
        return most + 1 + off;
    case 2:
        return INT32_MIN + off;
    default:
        return INT32_MAX - off;
    }
}

static const char *spoil_logits(struct bytes *bytes, struct sample_call *call)
{
    struct tessera_batch *batch = &call->batch;

    switch (take_below(bytes, 8)) {
    case 0:
        batch->logits = NULL;
        return "batch.logits";
    case 1:
        batch->logits = shifted(batch->logits);
        return "batch.logits";
    case 2:
        batch->logits_type = (enum tessera_dtype)outside(bytes, 0, 2);
        return "batch.logits_type";
    case 3:
        batch->logits_stride = call->config.vocab - 1 - (int64_t)take(bytes, 7);
        return "batch.logits_stride";
    case 4:
        batch->logits_stride = INT64_MAX - (int64_t)take(bytes, 7);
        return "batch.logits_";
    case 5:
        batch->logits_rows = INT64_MAX - (int64_t)take(bytes, 7);
        return "batch.logits_rows";
    case 6:
        batch->row_maxima = shifted(batch->row_maxima);
        return "batch.row_maxima";
    default:
        batch->logits_rows =
            (batch->row_index ? 0 : batch->rows - 1) - (int64_t)take(bytes, 7);
        return "batch.logits_rows";
    }
}

static const char *spoil_params(struct bytes *bytes, struct sample_call *call)
{
    struct tessera_batch *batch = &call->batch;
    bool bounds = batch->params_memory == TESSERA_MEMORY_SAMPLER;

    switch (take_below(bytes, 7)) {
    case 0:
        batch->params = NULL;
        return "batch.params";
    case 1:
        batch->params = shifted(batch->params);
        return "batch.params";
    case 2:
        batch->params_stride =
            take(bytes, 1) % sizeof(struct tessera_params) / 8 * 8;
        return "batch.params_stride";
    case 3:
        batch->params_stride = SIZE_MAX - take(bytes, 7);
        return "batch.params_stride";
    case 4:
        batch->params_memory = (enum tessera_memory)outside(bytes, 0, 1);
        return "batch.params_memory";
    case 5:
        batch->stages |= UINT32_C(1) << (5 + take_below(bytes, 27));
        return bounds ? "batch.stages" : NULL;
    default:
        batch->max_top_k = -1 - (int32_t)take(bytes, 3);
        return bounds ? "batch.max_top_k" : NULL;
    }
}

static const char *spoil_lists(struct bytes *bytes, struct sample_call *call)
{
    struct tessera_batch *batch = &call->batch;
    struct tessera_history *history =
        take_below(bytes, 2) ? &batch->prompt : &batch->generated;

    switch (take_below(bytes, 7)) {
    case 0:
        history->offsets = NULL;
        return history->lengths ? ".offsets" : NULL;
    case 1:
        history->lengths = NULL;
        return history->tokens ? ".lengths" : NULL;
    case 2:
        if (history->tokens)
            history->tokens = shifted(history->tokens);
        return history->tokens ? ".tokens" : NULL;
    case 3:
        batch->bias_offsets = NULL;
        return batch->biases ? "batch.bias_offsets" : NULL;
    case 4:
        batch->ban_offsets = NULL;
        return batch->bans ? "batch.ban_offsets" : NULL;
    case 5:
        if (batch->biases)
            batch->biases = shifted(batch->biases);
        return batch->biases ? "batch.biases" : NULL;
    default:
        if (batch->ban_offsets)
            batch->ban_offsets = shifted(batch->ban_offsets);
        return batch->ban_offsets ? "batch.ban_offsets" : NULL;
    }
}

static const char *spoil_masks(struct bytes *bytes, struct sample_call *call)
{
    struct tessera_batch *batch = &call->batch;
    int32_t words = (call->config.vocab + 31) / 32;

    if (!batch->masks) {
        batch->mask_count = 1 + (int64_t)take(bytes, 7);
        return "batch.mask_count";
    }
    switch (take_below(bytes, 4)) {
    case 0:
        batch->masks = shifted(batch->masks);
        return "batch.masks";
    case 1:
        batch->mask_stride = words - 1 - (int64_t)take(bytes, 7);
        return "batch.mask_stride";
    case 2:
        batch->mask_count = INT64_MAX - (int64_t)take(bytes, 7);
        return "batch.mask_count";
    default:
        batch->mask_count =
            (batch->mask_index ? 0 : batch->rows) - 1 - (int64_t)take(bytes, 7);
        return "batch.mask_count";
    }
}

const char *spoil_call(struct bytes *bytes, struct sample_call *call,
                       struct tessera_outputs *outputs, void **workspace,
                       size_t *workspace_bytes)
{
    switch (take_below(bytes, 12)) {
    case 0:
        call->batch.sizeof_batch -= 1 + take(bytes, 1);
        return "batch.sizeof_batch";
    case 1:
        call->batch.rows = outside(bytes, 0, call->config.max_rows);
        return "batch.rows";
    case 2:
        outputs->sizeof_outputs = 65537 + take(bytes, 7);
        return "outputs.sizeof_outputs";
    case 3:
        outputs->top_n = outside(bytes, 0, call->config.max_top_logprobs);
        return "outputs.top_n";
    case 4:
        outputs->weight_sum = shifted(outputs->weight_sum);
        return "outputs.weight_sum";
    case 5:
        *workspace = NULL;
        return "workspace";
    case 6:
        *workspace = (char *)*workspace + 1 + take_below(bytes, 15);
        return "workspace";
    case 7:
        *workspace_bytes -= 1 + take(bytes, 7) % *workspace_bytes;
        return "workspace_bytes";
    case 8:
        return spoil_logits(bytes, call);
    case 9:
        return spoil_params(bytes, call);
    case 10:
        return spoil_lists(bytes, call);
    default:
        return spoil_masks(bytes, call);
    }
}

const char *spoil_config(struct bytes *bytes, struct tessera_config *config)
{
    switch (take_below(bytes, 9)) {
    case 0:
        config->sizeof_config -= 1 + take(bytes, 1) % sizeof(*config);
        return "config.sizeof_config";
    case 1:
        config->contract_version = outside(bytes, 1, 1);
        return "config.contract_version";
    case 2:
        config->device = (enum tessera_device)outside(bytes, 0, 2);
        return "config.device";
    case 3:
        config->device_ordinal = outside(bytes, 0, 0);
        return "config.device_ordinal";
    case 4:
        config->vocab = outside(bytes, 1, TESSERA_MAX_VOCAB);
        return "config.vocab";
    case 5:
        config->max_rows = -(int32_t)take(bytes, 3);
        return "config.max_rows";
    case 6:
        config->max_history = -1 - (int32_t)take(bytes, 3);
        return "config.max_history";
    case 7:
        config->max_top_logprobs = outside(bytes, 0, TESSERA_MAX_TOP_LOGPROBS);
        return "config.max_top_logprobs";
    default:
        config->plans |= UINT32_C(1) << (2 + take_below(bytes, 30));
        return "config.plans";
    }
}
