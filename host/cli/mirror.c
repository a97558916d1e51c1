/*
 * mirror.c - sample a batch in host memory, wherever the sampler's side is
 */

#include "mirror.h"

#include <stdint.h>

#define ALIGNMENT 256

/* Copies an array to the sampler's side.  NULL and arrays of no bytes stay as
 * they are: nothing is read from them. */
static void *mirror_array(struct mirror *mirror, const void *host, size_t bytes,
                          bool output)
{
    struct mirrored *array = &mirror->arrays[mirror->count];

    if (!host || bytes == 0 || mirror->status != TESSERA_OK)
        return (void *)(uintptr_t)host;
    *array = (struct mirrored){
        .host = (void *)(uintptr_t)host, .bytes = bytes, .output = output};
    mirror->status = tessera_memory_create(mirror->sampler, bytes + ALIGNMENT,
                                           &array->memory);
    if (mirror->status != TESSERA_OK)
        return NULL;
    mirror->count++;

    uintptr_t base =
        ((uintptr_t)array->memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    base += (uintptr_t)host % ALIGNMENT;
    if (base + bytes > (uintptr_t)array->memory + bytes + ALIGNMENT)
        base -= ALIGNMENT;
    array->there = (void *)base;
    mirror->status =
        tessera_memory_write(mirror->sampler, array->there, host, bytes);
    return array->there;
}

#define MIRROR(field, count)                                                   \
    ((field) = mirror_array(mirror, (field), (count) * sizeof(*(field)), false))
#define MIRROR_OUTPUT(field, count)                                            \
    ((field) = mirror_array(mirror, (field), (count) * sizeof(*(field)), true))

static void mirror_history(struct mirror *mirror,
                           struct tessera_history *history, int32_t rows,
                           int32_t max_history)
{
    int64_t end = 0;

    if (!history->lengths)
        return;
    for (int32_t row = 0; row < rows; row++) {
        int64_t offset = history->offsets[row];
        int64_t length = history->lengths[row];

        if (offset >= 0 && length > 0 && length <= max_history &&
            offset + length > end)
            end = offset + length;
    }
    MIRROR(history->tokens, (size_t)end);
    MIRROR(history->offsets, (size_t)rows);
    MIRROR(history->lengths, (size_t)rows);
}

/* Where the last entry ends that a row with valid offsets has. */
static size_t list_end(const int64_t *offsets, int32_t rows, int32_t max_edits)
{
    int64_t end = 0;

    for (int32_t row = 0; offsets && row < rows; row++)
        if (offsets[row] >= 0 && offsets[row + 1] > end &&
            offsets[row + 1] >= offsets[row] &&
            offsets[row + 1] - offsets[row] <= max_edits)
            end = offsets[row + 1];
    return (size_t)end;
}

static void mirror_batch(struct mirror *mirror, struct tessera_batch *batch,
                         const struct tessera_config *config)
{
    size_t rows = (size_t)batch->rows;
    size_t element_bytes = batch->logits_type == TESSERA_FLOAT32 ? 4 : 2;
    size_t biases =
        list_end(batch->bias_offsets, batch->rows, config->max_edits);
    size_t bans = list_end(batch->ban_offsets, batch->rows, config->max_edits);

    /* The last row of a table may end with its last element. */
    batch->logits = mirror_array(
        mirror, batch->logits,
        ((size_t)(batch->logits_rows - 1) * (size_t)batch->logits_stride +
         (size_t)config->vocab) *
            element_bytes,
        false);
    MIRROR(batch->row_index, rows);
    if (batch->params_memory == TESSERA_MEMORY_SAMPLER)
        batch->params = mirror_array(mirror, batch->params,
                                     (rows - 1) * batch->params_stride +
                                         sizeof(*batch->params),
                                     batch->advance_step != 0);
    mirror_history(mirror, &batch->prompt, batch->rows, config->max_history);
    mirror_history(mirror, &batch->generated, batch->rows, config->max_history);
    MIRROR(batch->biases, biases);
    MIRROR(batch->bans, bans);
    MIRROR(batch->bias_offsets, rows + 1);
    MIRROR(batch->ban_offsets, rows + 1);
    if (batch->masks && batch->mask_count > 0)
        MIRROR(batch->masks,
               (size_t)(batch->mask_count - 1) * (size_t)batch->mask_stride +
                   ((size_t)config->vocab + 31) / 32);
    MIRROR(batch->mask_index, rows);
    MIRROR(batch->row_maxima, rows);
}

static void mirror_outputs(struct mirror *mirror,
                           struct tessera_outputs *outputs, size_t rows)
{
    /* A wrong number is tessera_sample()'s to refuse. */
    size_t listed = outputs->top_n > 0 ? rows * (size_t)outputs->top_n : 0;

    MIRROR_OUTPUT(outputs->token, rows);
    MIRROR_OUTPUT(outputs->logprob, rows);
    MIRROR_OUTPUT(outputs->raw_logprob, rows);
    MIRROR_OUTPUT(outputs->rank, rows);
    MIRROR_OUTPUT(outputs->top_tokens, listed);
    MIRROR_OUTPUT(outputs->top_logprobs, listed);
    MIRROR_OUTPUT(outputs->n_kept, rows);
    MIRROR_OUTPUT(outputs->weight_sum, rows);
    MIRROR_OUTPUT(outputs->status, rows);
}

enum tessera_status mirror_begin(struct mirror *mirror,
                                 const struct tessera_sampler *sampler,
                                 const struct tessera_config *config,
                                 struct tessera_batch *batch,
                                 struct tessera_outputs *outputs)
{
    *mirror = (struct mirror){.sampler = sampler, .status = TESSERA_OK};
    mirror_batch(mirror, batch, config);
    mirror_outputs(mirror, outputs, (size_t)batch->rows);
    return mirror->status;
}

enum tessera_status mirror_end(struct mirror *mirror, bool write_back)
{
    for (int i = 0; i < mirror->count; i++) {
        struct mirrored *array = &mirror->arrays[i];

        if (write_back && array->output && mirror->status == TESSERA_OK)
            mirror->status = tessera_memory_read(mirror->sampler, array->host,
                                                 array->there, array->bytes);
        tessera_memory_free(mirror->sampler, array->memory);
    }
    mirror->count = 0;
    return mirror->status;
}

enum tessera_status mirror_sample(const struct tessera_sampler *sampler,
                                  const struct tessera_config *config,
                                  void *workspace, size_t workspace_bytes,
                                  const struct tessera_batch *batch,
                                  const struct tessera_outputs *outputs)
{
    if (config->device != TESSERA_DEVICE_CUDA || batch->rows == 0)
        return tessera_sample(sampler, workspace, workspace_bytes, batch,
                              outputs, NULL);

    struct mirror mirror;
    struct tessera_batch batch_there = *batch;
    struct tessera_outputs outputs_there = *outputs;
    enum tessera_status status =
        mirror_begin(&mirror, sampler, config, &batch_there, &outputs_there);

    if (status == TESSERA_OK)
        status = tessera_sample(sampler, workspace, workspace_bytes,
                                &batch_there, &outputs_there, NULL);
    enum tessera_status copied = mirror_end(&mirror, status == TESSERA_OK);
    return status != TESSERA_OK ? status : copied;
}
