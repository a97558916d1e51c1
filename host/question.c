/*
 * question.c - follow the indices and offsets of one row of a batch
 *
 * The one place that tells a row invalid on the CPU: nothing outside the
 * caller's arrays is read, and the stages after this meet no value out of its
 * range.
 */

#include "question.h"

#include "check_row.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct tessera_params *tessera_batch_params(const struct tessera_batch *batch,
                                            int32_t row)
{
    return (struct tessera_params *)(void *)((char *)batch->params +
                                             (size_t)row *
                                                 batch->params_stride);
}

void tessera_batch_advance(const struct tessera_batch *batch, int32_t row)
{
    struct tessera_params *params = tessera_batch_params(batch, row);

    if (batch->advance_step && params->step < UINT64_C(1) << 62)
        params->step++;
}

static bool read_params(const struct tessera_batch *batch, int32_t row,
                        struct tessera_params *params)
{
    *params = *tessera_batch_params(batch, row);
    if (!tessera_params_valid(params))
        return false;
    if (batch->params_memory == TESSERA_MEMORY_HOST)
        return true;
    return (tessera_params_stages(params) & ~batch->stages) == 0 &&
           params->top_k <= batch->max_top_k;
}

static bool read_logits(const struct tessera_batch *batch, int32_t row,
                        struct tessera_question *question)
{
    int64_t index = batch->row_index ? batch->row_index[row] : row;
    if (index < 0 || index >= batch->logits_rows)
        return false;

    size_t element_bytes = tessera_dtype_bytes(batch->logits_type);
    size_t offset = (size_t)index * (size_t)batch->logits_stride;
    question->logits = (const char *)batch->logits + offset * element_bytes;
    question->logits_type = batch->logits_type;
    return true;
}

static bool read_mask(const struct tessera_batch *batch, int32_t row,
                      struct tessera_question *question)
{
    int64_t index = row;
    if (batch->mask_index)
        index = batch->mask_index[row];
    else if (!batch->masks)
        index = -1;

    question->mask = NULL;
    if (index == -1)
        return true;
    if (index < 0 || index >= batch->mask_count)
        return false;
    question->mask = batch->masks + (size_t)index * (size_t)batch->mask_stride;
    return true;
}

static bool read_segment(const struct tessera_history *history, int32_t row,
                         const int32_t **tokens, size_t *length)
{
    *tokens = NULL;
    *length = 0;
    if (!history->lengths)
        return true;

    int64_t offset = history->offsets[row];
    int64_t entries = history->lengths[row];
    if (offset < 0 || entries < 0)
        return false;
    if (entries == 0)
        return true;
    if (!history->tokens)
        return false;
    *tokens = history->tokens + offset;
    *length = (size_t)entries;
    return true;
}

static bool read_past(const struct tessera_sampler *sampler,
                      const struct tessera_batch *batch, int32_t row,
                      struct tessera_past *past)
{
    size_t most = (size_t)sampler->config.max_history;

    return read_segment(&batch->prompt, row, &past->prompt,
                        &past->prompt_length) &&
           read_segment(&batch->generated, row, &past->generated,
                        &past->generated_length) &&
           past->prompt_length <= most &&
           past->generated_length <= most - past->prompt_length;
}

/* The entries of one row of a list with offsets [rows + 1]. */
static bool read_range(const int64_t *offsets, int32_t row, int32_t most,
                       int64_t *start, int32_t *count)
{
    *start = 0;
    *count = 0;
    if (!offsets)
        return true;

    int64_t from = offsets[row];
    int64_t to = offsets[row + 1];
    if (from < 0 || to < from || to - from > most)
        return false;
    *start = from;
    *count = (int32_t)(to - from);
    return true;
}

static bool read_edits(const struct tessera_sampler *sampler,
                       const struct tessera_batch *batch, int32_t row,
                       struct tessera_edits *edits)
{
    int32_t most = sampler->config.max_edits;
    int64_t bias_start;
    int64_t ban_start;
    int32_t index;

    if (!read_range(batch->bias_offsets, row, most, &bias_start,
                    &edits->bias_count) ||
        !read_range(batch->ban_offsets, row, most - edits->bias_count,
                    &ban_start, &edits->ban_count))
        return false;
    if ((edits->bias_count > 0 && !batch->biases) ||
        (edits->ban_count > 0 && !batch->bans))
        return false;
    edits->vocab = sampler->config.vocab;
    edits->biases = edits->bias_count > 0 ? batch->biases + bias_start : NULL;
    edits->bans = edits->ban_count > 0 ? batch->bans + ban_start : NULL;
    return tessera_edits_fault(edits, &index) == TESSERA_EDIT_OK;
}

bool tessera_question_read(const struct tessera_sampler *sampler,
                           const struct tessera_batch *batch, int32_t row,
                           struct tessera_question *question)
{
    question->maximum = batch->row_maxima ? batch->row_maxima[row] : NAN;
    return read_params(batch, row, &question->params) &&
           read_logits(batch, row, question) &&
           read_mask(batch, row, question) &&
           read_past(sampler, batch, row, &question->past) &&
           read_edits(sampler, batch, row, &question->edits);
}

uint8_t tessera_question_status(const struct tessera_question *question,
                                bool nan, float m)
{
    uint8_t status = nan ? TESSERA_ROW_NAN : TESSERA_ROW_OK;
    float given = question->maximum;

    if (given > FLT_MAX)
        given = FLT_MAX;
    if (given < m || given > m) /* not a NaN */
        status |= TESSERA_ROW_MAXIMUM;
    return status;
}

static bool same_list(const void *a, size_t a_count, const void *b,
                      size_t b_count, size_t entry_bytes)
{
    return a_count == b_count &&
           (a == b || memcmp(a, b, a_count * entry_bytes) == 0);
}

bool tessera_question_same_row(const struct tessera_question *a,
                               const struct tessera_question *b)
{
    /* Seed, stream and step are the last fields of params. */
    return a->logits == b->logits && a->mask == b->mask &&
           memcmp(&a->params, &b->params,
                  offsetof(struct tessera_params, min_p) + sizeof(float)) ==
               0 &&
           same_list(a->past.prompt, a->past.prompt_length, b->past.prompt,
                     b->past.prompt_length, sizeof(int32_t)) &&
           same_list(a->past.generated, a->past.generated_length,
                     b->past.generated, b->past.generated_length,
                     sizeof(int32_t)) &&
           same_list(a->edits.biases, (size_t)a->edits.bias_count,
                     b->edits.biases, (size_t)b->edits.bias_count,
                     sizeof(struct tessera_bias)) &&
           same_list(a->edits.bans, (size_t)a->edits.ban_count, b->edits.bans,
                     (size_t)b->edits.ban_count, sizeof(int32_t));
}
