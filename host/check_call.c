/*
 * check_call.c - what is wrong with a call
 */

#include "check_call.h"

#include "error.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Ends the calling function at the first fault. */
#define CHECK(call)                                                            \
    do {                                                                       \
        enum tessera_status status_ = (call);                                  \
        if (status_ != TESSERA_OK)                                             \
            return status_;                                                    \
    } while (0)

static enum tessera_status in_range(const char *name, int64_t value,
                                    int64_t least, int64_t most)
{
    if (value >= least && value <= most)
        return TESSERA_OK;
    return tessera_fail(TESSERA_BAD_ARGUMENT,
                        "%s is %" PRId64 "; its range is %" PRId64
                        " .. %" PRId64,
                        name, value, least, most);
}

static enum tessera_status known_bits(const char *name, uint32_t value,
                                      uint32_t known)
{
    if ((value & ~known) == 0)
        return TESSERA_OK;
    return tessera_fail(TESSERA_BAD_ARGUMENT,
                        "%s is 0x%" PRIx32 "; only the bits 0x%" PRIx32
                        " mean something",
                        name, value, known);
}

static enum tessera_status not_null(const char *name, const void *pointer)
{
    if (pointer)
        return TESSERA_OK;
    return tessera_fail(TESSERA_BAD_ARGUMENT, "%s is NULL; it is required",
                        name);
}

/* NULL is aligned. */
static enum tessera_status aligned(const char *name, const void *pointer,
                                   size_t alignment)
{
    if ((uintptr_t)pointer % alignment == 0)
        return TESSERA_OK;
    return tessera_fail(TESSERA_BAD_ARGUMENT,
                        "%s is %p; it must be a multiple of %zu bytes", name,
                        pointer, alignment);
}

static enum tessera_status null_without(const char *name, const void *pointer,
                                        const char *other_name,
                                        const void *other)
{
    if (!pointer || other)
        return TESSERA_OK;
    return tessera_fail(TESSERA_BAD_ARGUMENT,
                        "%s is NULL; it is required where %s is given",
                        other_name, name);
}

/* A struct starts with its size.  No header before this one was released, so a
 * shorter one is a mistake.  A longer one may only say 0 in what this library
 * does not know. */
static enum tessera_status read_sized(const char *name, const void *given,
                                      void *known, size_t known_bytes)
{
    char size_name[40];
    size_t bytes;

    CHECK(not_null(name, given));
    CHECK(aligned(name, given, sizeof(size_t)));
    memcpy(&bytes, given, sizeof(bytes));
    snprintf(size_name, sizeof(size_name), "sizeof_%s", name);
    if (bytes < known_bytes || bytes > 65536)
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "%s.%s is %zu; its range is %zu .. 65536", name,
                            size_name, bytes, known_bytes);
    for (size_t i = known_bytes; i < bytes; i++)
        if (((const char *)given)[i] != 0)
            return tessera_fail(TESSERA_BAD_ARGUMENT,
                                "%s has a value at byte %zu that this library "
                                "(version %s) does not know; it must be 0",
                                name, i, tessera_version());
    memcpy(known, given, known_bytes);
    return TESSERA_OK;
}

enum tessera_status tessera_read_config(const struct tessera_config *given,
                                        struct tessera_config *config)
{
    return read_sized("config", given, config, sizeof(*config));
}

enum tessera_status tessera_read_batch(const struct tessera_batch *given,
                                       struct tessera_batch *batch)
{
    return read_sized("batch", given, batch, sizeof(*batch));
}

enum tessera_status tessera_read_outputs(const struct tessera_outputs *given,
                                         struct tessera_outputs *outputs)
{
    return read_sized("outputs", given, outputs, sizeof(*outputs));
}

enum tessera_status tessera_check_config(const struct tessera_config *config)
{
    if (config->contract_version != TESSERA_CONTRACT_VERSION)
        return tessera_fail(TESSERA_UNAVAILABLE,
                            "config.contract_version is %d; this library has "
                            "%d",
                            (int)config->contract_version,
                            TESSERA_CONTRACT_VERSION);
    CHECK(in_range("config.device", (int64_t)config->device,
                   TESSERA_DEVICE_REFERENCE, TESSERA_DEVICE_CUDA));
    CHECK(in_range("config.vocab", config->vocab, 1, TESSERA_MAX_VOCAB));
    CHECK(in_range("config.max_rows", config->max_rows, 1, INT32_MAX));
    CHECK(in_range("config.max_history", config->max_history, 0, INT32_MAX));
    CHECK(in_range("config.max_edits", config->max_edits, 0, INT32_MAX));
    CHECK(in_range("config.max_top_logprobs", config->max_top_logprobs, 0,
                   TESSERA_MAX_TOP_LOGPROBS));
    CHECK(known_bits("config.plans", config->plans,
                     TESSERA_PLAN_STAGED | TESSERA_PLAN_FUSED));
    if (config->workspace_limit < 1)
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "config.workspace_limit is 0; its range is 1 and "
                            "above");
    CHECK(in_range("config.threads", config->threads, 0, 1024));

    const char *why;
    int32_t devices = tessera_backend_of(config->device)->device_count(&why);
    if (devices < 1)
        return tessera_fail(TESSERA_UNAVAILABLE, "config.device is %s; %s",
                            tessera_backend_of(config->device)->name, why);
    return in_range("config.device_ordinal", config->device_ordinal, 0,
                    devices - 1);
}

enum tessera_status tessera_check_rows(const struct tessera_sampler *sampler,
                                       int32_t rows, const char *name)
{
    return in_range(name, rows, 0, sampler->config.max_rows);
}

/* An array of 'count' rows 'stride' elements apart must be addressable. */
static enum tessera_status check_table(const char *stride_name, int64_t stride,
                                       int64_t least_stride,
                                       const char *count_name, int64_t count,
                                       int64_t least_count,
                                       size_t element_bytes)
{
    int64_t most = PTRDIFF_MAX / (int64_t)element_bytes;

    CHECK(in_range(stride_name, stride, least_stride, most));
    return in_range(count_name, count, least_count, most / stride);
}

static enum tessera_status check_logits(const struct tessera_sampler *sampler,
                                        const struct tessera_batch *batch)
{
    CHECK(in_range("batch.logits_type", (int64_t)batch->logits_type,
                   TESSERA_FLOAT32, TESSERA_BFLOAT16));
    size_t element_bytes = tessera_dtype_bytes(batch->logits_type);
    CHECK(not_null("batch.logits", batch->logits));
    CHECK(aligned("batch.logits", batch->logits, element_bytes));
    CHECK(aligned("batch.row_index", batch->row_index, sizeof(int32_t)));
    CHECK(aligned("batch.row_maxima", batch->row_maxima, sizeof(float)));
    return check_table("batch.logits_stride", batch->logits_stride,
                       sampler->config.vocab, "batch.logits_rows",
                       batch->logits_rows, batch->row_index ? 1 : batch->rows,
                       element_bytes);
}

static enum tessera_status check_params(const struct tessera_batch *batch)
{
    CHECK(not_null("batch.params", batch->params));
    CHECK(aligned("batch.params", batch->params, sizeof(uint64_t)));
    size_t most_stride = (size_t)(PTRDIFF_MAX / batch->rows);
    if (batch->params_stride < sizeof(struct tessera_params) ||
        batch->params_stride > most_stride)
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "batch.params_stride is %zu; its range is %zu .. "
                            "%zu",
                            batch->params_stride, sizeof(struct tessera_params),
                            most_stride);
    if (batch->params_stride % sizeof(uint64_t) != 0)
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "batch.params_stride is %zu; it must be a multiple "
                            "of 8",
                            batch->params_stride);
    CHECK(in_range("batch.params_memory", (int64_t)batch->params_memory,
                   TESSERA_MEMORY_HOST, TESSERA_MEMORY_SAMPLER));
    if (batch->params_memory == TESSERA_MEMORY_HOST)
        return TESSERA_OK;
    CHECK(known_bits("batch.stages", batch->stages,
                     TESSERA_STAGE_PENALTIES | TESSERA_STAGE_DRAW |
                         TESSERA_STAGE_TOP_K | TESSERA_STAGE_TOP_P |
                         TESSERA_STAGE_MIN_P));
    return in_range("batch.max_top_k", batch->max_top_k, 0, INT32_MAX);
}

static enum tessera_status check_history(const struct tessera_batch *batch)
{
    CHECK(aligned("batch.prompt.tokens", batch->prompt.tokens, 4));
    CHECK(aligned("batch.prompt.offsets", batch->prompt.offsets, 8));
    CHECK(aligned("batch.prompt.lengths", batch->prompt.lengths, 8));
    CHECK(null_without("batch.prompt.lengths", batch->prompt.lengths,
                       "batch.prompt.offsets", batch->prompt.offsets));
    CHECK(null_without("batch.prompt.tokens", batch->prompt.tokens,
                       "batch.prompt.lengths", batch->prompt.lengths));
    CHECK(aligned("batch.generated.tokens", batch->generated.tokens, 4));
    CHECK(aligned("batch.generated.offsets", batch->generated.offsets, 8));
    CHECK(aligned("batch.generated.lengths", batch->generated.lengths, 8));
    CHECK(null_without("batch.generated.lengths", batch->generated.lengths,
                       "batch.generated.offsets", batch->generated.offsets));
    return null_without("batch.generated.tokens", batch->generated.tokens,
                        "batch.generated.lengths", batch->generated.lengths);
}

static enum tessera_status check_edits(const struct tessera_batch *batch)
{
    CHECK(aligned("batch.biases", batch->biases, 4));
    CHECK(aligned("batch.bias_offsets", batch->bias_offsets, 8));
    CHECK(null_without("batch.biases", batch->biases, "batch.bias_offsets",
                       batch->bias_offsets));
    CHECK(aligned("batch.bans", batch->bans, 4));
    CHECK(aligned("batch.ban_offsets", batch->ban_offsets, 8));
    return null_without("batch.bans", batch->bans, "batch.ban_offsets",
                        batch->ban_offsets);
}

static enum tessera_status check_masks(const struct tessera_sampler *sampler,
                                       const struct tessera_batch *batch)
{
    CHECK(aligned("batch.masks", batch->masks, 4));
    CHECK(aligned("batch.mask_index", batch->mask_index, 4));
    if (!batch->masks)
        return in_range("batch.mask_count without batch.masks",
                        batch->mask_count, 0, 0);
    return check_table("batch.mask_stride", batch->mask_stride,
                       (sampler->config.vocab + 31) / 32, "batch.mask_count",
                       batch->mask_count, batch->mask_index ? 0 : batch->rows,
                       sizeof(uint32_t));
}

enum tessera_status tessera_check_batch(const struct tessera_sampler *sampler,
                                        const struct tessera_batch *batch)
{
    CHECK(check_logits(sampler, batch));
    CHECK(check_params(batch));
    CHECK(check_history(batch));
    CHECK(check_edits(batch));
    return check_masks(sampler, batch);
}

enum tessera_status tessera_check_outputs(const struct tessera_sampler *sampler,
                                          const struct tessera_outputs *outputs)
{
    CHECK(aligned("outputs.token", outputs->token, 4));
    CHECK(aligned("outputs.logprob", outputs->logprob, 4));
    CHECK(aligned("outputs.raw_logprob", outputs->raw_logprob, 4));
    CHECK(aligned("outputs.rank", outputs->rank, 4));
    CHECK(aligned("outputs.top_tokens", outputs->top_tokens, 4));
    CHECK(aligned("outputs.top_logprobs", outputs->top_logprobs, 4));
    CHECK(aligned("outputs.n_kept", outputs->n_kept, 4));
    CHECK(aligned("outputs.weight_sum", outputs->weight_sum, 8));
    return in_range("outputs.top_n", outputs->top_n, 0,
                    sampler->config.max_top_logprobs);
}

enum tessera_status
tessera_check_workspace(const struct tessera_sampler *sampler, int32_t rows,
                        const void *workspace, size_t workspace_bytes)
{
    size_t needed = sampler->backend->workspace_bytes(sampler, rows);

    if (needed == 0)
        return tessera_last_status();
    CHECK(not_null("workspace", workspace));
    CHECK(aligned("workspace", workspace, TESSERA_WORKSPACE_ALIGNMENT));
    if (workspace_bytes < needed)
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "workspace_bytes is %zu; %d rows need at least %zu",
                            workspace_bytes, (int)rows, needed);
    return TESSERA_OK;
}
