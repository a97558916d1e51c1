/*
 * batch_builder.c - rows written one by one, run as a batch on a backend
 */

#include "batch_builder.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An array of 'bytes' that ends where its allocation does. */
static void *new_array(struct call *call, size_t bytes, size_t shift)
{
    cr_assert(call->array_count < CALL_ARRAYS);

    char *base = malloc(shift + bytes);
    cr_assert(base, "no memory for %zu bytes", shift + bytes);
    memset(base, 0xa5, shift + bytes);
    call->arrays[call->array_count] = base;
    call->array_bytes[call->array_count] = shift + bytes;
    call->array_count++;
    return base + shift;
}

/* Which of the distinct pointers each row has: index[row], -1 for NULL.  From
 * the last row on, so that an index is not the row's number.  Returns how many
 * there are. */
static size_t number_pointers(const void *const *pointers, size_t count,
                              int32_t *index, const void **distinct)
{
    size_t found = 0;

    for (size_t row = count; row-- > 0;) {
        size_t i = 0;

        while (i < found && distinct[i] != pointers[row])
            i++;
        if (i == found && pointers[row])
            distinct[found++] = pointers[row];
        index[row] = pointers[row] ? (int32_t)i : -1;
    }
    return found;
}

/* What nobody may read: +inf and NaN in turn. */
static void spoil(void *logits, enum tessera_dtype type, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store_float(logits, type, i, i % 2 ? NAN : INFINITY);
}

static void build_logits(struct call *call, const struct test_row *rows,
                         size_t count, const struct layout *layout)
{
    size_t element = rows[0].type == TESSERA_FLOAT32 ? 4 : 2;
    size_t vocab = (size_t)rows[0].vocab;
    size_t stride = vocab + (size_t)layout->logits_gap;
    const void **pointers = malloc(2 * count * sizeof(*pointers));
    size_t copies = count;

    for (size_t row = 0; row < count; row++) {
        cr_assert(rows[row].vocab == rows[0].vocab);
        cr_assert(rows[row].type == rows[0].type);
        pointers[row] = rows[row].logits;
    }
    if (layout->shared) {
        int32_t *index = new_array(call, count * sizeof(*index), 0);

        copies = number_pointers(pointers, count, index, pointers + count);
        memmove(pointers, pointers + count, copies * sizeof(*pointers));
        call->batch.row_index = index;
    }

    /* The gap after the last row is no part of the array. */
    size_t bytes = ((copies - 1) * stride + vocab) * element;
    char *logits =
        new_array(call, bytes, (size_t)layout->logits_shift * element);
    for (size_t copy = 0; copy < copies; copy++) {
        char *row = logits + copy * stride * element;

        memcpy(row, pointers[copy], vocab * element);
        if (copy + 1 < copies)
            spoil(row + vocab * element, rows[0].type, stride - vocab);
    }
    free(pointers);

    call->batch.logits_type = rows[0].type;
    call->batch.logits = logits;
    call->batch.logits_stride = (int64_t)stride;
    call->batch.logits_rows = (int64_t)copies;
}

static void build_params(struct call *call, const struct test_row *rows,
                         size_t count, const struct layout *layout)
{
    size_t size = sizeof(struct tessera_params);
    size_t stride = size + layout->params_gap;
    char *params = new_array(call, (count - 1) * stride + size, 0);

    for (size_t row = 0; row < count; row++) {
        memcpy(params + row * stride, &rows[row].params, size);
        call->batch.stages |= stages_of(&rows[row].params);
        if (rows[row].params.top_k > call->batch.max_top_k)
            call->batch.max_top_k = rows[row].params.top_k;
    }
    call->batch.params = (struct tessera_params *)(void *)params;
    call->batch.params_stride = stride;
    call->batch.params_memory = layout->params_memory;
}

/* Segments stand in reverse order, with an entry between that is no row's. */
static struct tessera_history
build_history(struct call *call, const struct test_row *rows, size_t count,
              const struct layout *layout, bool generated)
{
    struct tessera_history history = {NULL, NULL, NULL};
    size_t total = 0;

    for (size_t row = 0; row < count; row++)
        total += generated ? rows[row].generated.count : rows[row].prompt.count;
    if (total == 0 && !layout->shared)
        return history;

    int64_t *offsets = new_array(call, count * sizeof(*offsets), 0);
    int64_t *lengths = new_array(call, count * sizeof(*lengths), 0);
    int32_t *tokens = NULL;
    if (total > 0)
        tokens = new_array(call, (count - 1 + total) * sizeof(*tokens), 0);

    int64_t at = 0;
    for (size_t row = count; row-- > 0;) {
        struct id_list list =
            generated ? rows[row].generated : rows[row].prompt;

        offsets[row] = at;
        lengths[row] = (int64_t)list.count;
        if (list.count > 0)
            memcpy(tokens + at, list.ids, list.count * sizeof(*tokens));
        at += (int64_t)list.count;
        if (tokens && row > 0)
            tokens[at++] = (int32_t)row % rows[0].vocab;
    }
    history.tokens = tokens;
    history.offsets = offsets;
    history.lengths = lengths;
    return history;
}

/* Lists of items, one a row, as one array.  Returns it and sets *offsets; both
 * are NULL when every list is empty. */
static void *build_lists(struct call *call, const void *const *lists,
                         const size_t *lengths, size_t count, size_t item,
                         const int64_t **offsets)
{
    size_t total = 0;

    for (size_t row = 0; row < count; row++)
        total += lengths[row];
    if (total == 0)
        return NULL;

    char *items = new_array(call, total * item, 0);
    int64_t *starts = new_array(call, (count + 1) * sizeof(*starts), 0);
    size_t at = 0;
    for (size_t row = 0; row < count; row++) {
        starts[row] = (int64_t)at;
        if (lengths[row] > 0)
            memcpy(items + at * item, lists[row], lengths[row] * item);
        at += lengths[row];
    }
    starts[count] = (int64_t)at;
    *offsets = starts;
    return items;
}

static void build_edits(struct call *call, const struct test_row *rows,
                        size_t count)
{
    const void **lists = calloc(count, sizeof(*lists));
    size_t *lengths = calloc(count, sizeof(*lengths));

    for (size_t row = 0; row < count; row++) {
        lists[row] = rows[row].bias.biases;
        lengths[row] = rows[row].bias.count;
    }
    call->batch.biases =
        build_lists(call, lists, lengths, count, sizeof(struct tessera_bias),
                    &call->batch.bias_offsets);
    for (size_t row = 0; row < count; row++) {
        lists[row] = rows[row].bans.ids;
        lengths[row] = rows[row].bans.count;
    }
    call->batch.bans = build_lists(call, lists, lengths, count, sizeof(int32_t),
                                   &call->batch.ban_offsets);
    free(lists);
    free(lengths);
}

static void build_masks(struct call *call, const struct test_row *rows,
                        size_t count, const struct layout *layout)
{
    size_t words = ((size_t)rows[0].vocab + 31) / 32;
    size_t stride = words + (layout->shared ? 1 : 0);
    const void **pointers = malloc(2 * count * sizeof(*pointers));
    int32_t *index = malloc(count * sizeof(*index));
    bool all = true;

    for (size_t row = 0; row < count; row++) {
        pointers[row] = rows[row].mask;
        all = all && rows[row].mask;
    }
    size_t masks = number_pointers(pointers, count, index, pointers + count);
    const void **table = pointers + count;
    if (masks > 0 && all && !layout->shared) {
        table = pointers;
        masks = count;
    } else if (masks > 0) {
        int32_t *mask_index = new_array(call, count * sizeof(*index), 0);
        memcpy(mask_index, index, count * sizeof(*index));
        call->batch.mask_index = mask_index;
    }
    if (masks > 0) {
        uint32_t *words_of = new_array(
            call, ((masks - 1) * stride + words) * sizeof(*words_of), 0);
        for (size_t mask = 0; mask < masks; mask++)
            memcpy(words_of + mask * stride, table[mask],
                   words * sizeof(*words_of));
        call->batch.masks = words_of;
        call->batch.mask_stride = (int64_t)stride;
        call->batch.mask_count = (int64_t)masks;
    }
    free(pointers);
    free(index);
}

static void build_maxima(struct call *call, const struct test_row *rows,
                         size_t count, const struct layout *layout)
{
    bool any = layout->shared;

    for (size_t row = 0; row < count; row++)
        any = any || !isnan(rows[row].maximum);
    if (!any)
        return;

    float *maxima = new_array(call, count * sizeof(*maxima), 0);
    for (size_t row = 0; row < count; row++)
        maxima[row] = rows[row].maximum;
    call->batch.row_maxima = maxima;
}

static void build_outputs(struct call *call, size_t count,
                          const struct layout *layout)
{
    struct tessera_outputs *outputs = &call->outputs;

    *outputs = (struct tessera_outputs)TESSERA_OUTPUTS_INIT;
    outputs->token = new_array(call, count * sizeof(int32_t), 0);
    outputs->logprob = new_array(call, count * sizeof(float), 0);
    outputs->raw_logprob = new_array(call, count * sizeof(float), 0);
    outputs->rank = new_array(call, count * sizeof(int32_t), 0);
    outputs->top_tokens = new_array(call, count * TOP_N * sizeof(int32_t), 0);
    outputs->top_logprobs = new_array(call, count * TOP_N * sizeof(float), 0);
    outputs->top_n = TOP_N;
    outputs->top_raw = layout->top_raw;
    outputs->n_kept = new_array(call, count * sizeof(int32_t), 0);
    outputs->weight_sum = new_array(call, count * sizeof(uint64_t), 0);
    outputs->status = new_array(call, count, 0);
}

void build_batch(struct call *call, const struct test_row *rows, size_t count,
                 const struct layout *layout)
{
    call->batch = (struct tessera_batch)TESSERA_BATCH_INIT;
    call->batch.rows = (int32_t)count;
    build_logits(call, rows, count, layout);
    build_params(call, rows, count, layout);
    call->batch.prompt = build_history(call, rows, count, layout, false);
    call->batch.generated = build_history(call, rows, count, layout, true);
    build_edits(call, rows, count);
    build_masks(call, rows, count, layout);
    build_maxima(call, rows, count, layout);
    call->input_count = call->array_count;
    build_outputs(call, count, layout);
}
