/*
 * picked_batch.c - a batch of some of the rows asked about, in any order
 *
 * Logits, masks and histories are used where they are; params, bias and bans
 * are laid out anew for each batch.  The tables of logits and masks begin and
 * end with the rows that are picked: a sampler in another memory is sent those.
 */

#include "request.h"

#include <string.h>

/* Arrays of numbers, capacity + 1 long each. */
enum {
    PROMPT_OFFSETS,
    PROMPT_LENGTHS,
    GENERATED_OFFSETS,
    GENERATED_LENGTHS,
    BIAS_OFFSETS,
    BAN_OFFSETS,
    NUMBER_ARRAYS
};

static int64_t *numbers(const struct picked_batch *picked, int array)
{
    return picked->numbers + (size_t)array * ((size_t)picked->capacity + 1);
}

int picked_batch_create(struct picked_batch *picked, int32_t capacity)
{
    size_t count = (size_t)capacity;

    *picked = (struct picked_batch){
        .biases = LIST_INIT(struct tessera_bias),
        .bans = LIST_INIT(int32_t),
        .capacity = capacity,
    };
    picked->params = calloc(count, sizeof(*picked->params));
    picked->rows = calloc(count, sizeof(*picked->rows));
    picked->indices = calloc(count, sizeof(*picked->indices));
    picked->zeros = calloc(count, sizeof(*picked->zeros));
    picked->numbers =
        calloc(NUMBER_ARRAYS * (count + 1), sizeof(*picked->numbers));
    if (!picked->params || !picked->rows || !picked->indices ||
        !picked->zeros || !picked->numbers)
        return report_memory();
    return CLI_OK;
}

void picked_batch_free(struct picked_batch *picked)
{
    free(picked->params);
    free(picked->rows);
    free(picked->indices);
    free(picked->zeros);
    free(picked->numbers);
    free(picked->biases.items);
    free(picked->bans.items);
    *picked = (struct picked_batch){.params = NULL};
}

static bool add_edits(const struct request *request,
                      const struct row_request *row,
                      struct picked_batch *picked)
{
    const struct tessera_bias *biases =
        row_biases(&request->lists, row->biases);
    const int32_t *bans = row_bans(&request->lists, row->bans);

    for (size_t i = 0; i < row->biases.count; i++) {
        struct tessera_bias *bias = list_append(&picked->biases);
        if (!bias)
            return false;
        *bias = biases[i];
    }
    for (size_t i = 0; i < row->bans.count; i++) {
        int32_t *ban = list_append(&picked->bans);
        if (!ban)
            return false;
        *ban = bans[i];
    }
    return true;
}

static bool add_row(const struct request *request, struct pick pick, int32_t i,
                    struct picked_batch *picked)
{
    const struct row_request *row = &request->row[pick.row];
    int64_t first = (int64_t)row->history.first;

    picked->rows[i] = pick.row;
    picked->params[i] = row->params;
    picked->params[i].step += pick.steps_on;
    numbers(picked, PROMPT_OFFSETS)[i] = first;
    numbers(picked, PROMPT_LENGTHS)[i] = row->prompt_tokens;
    numbers(picked, GENERATED_OFFSETS)[i] = first + row->prompt_tokens;
    numbers(picked, GENERATED_LENGTHS)[i] =
        (int64_t)row->history.count - row->prompt_tokens;
    if (!add_edits(request, row, picked))
        return false;
    numbers(picked, BIAS_OFFSETS)[i + 1] = (int64_t)picked->biases.count;
    numbers(picked, BAN_OFFSETS)[i + 1] = (int64_t)picked->bans.count;
    return true;
}

/* Points the batch at the file's rows, from the first picked to the last. */
static void use_tables(const struct request *request,
                       struct picked_batch *picked)
{
    struct tessera_batch *batch = &picked->batch;
    size_t element_bytes = request->type == TESSERA_FLOAT32 ? 4 : 2;
    int32_t first = picked->rows[0];
    int32_t last = first;

    for (int32_t i = 1; i < batch->rows; i++) {
        first = picked->rows[i] < first ? picked->rows[i] : first;
        last = picked->rows[i] > last ? picked->rows[i] : last;
    }
    for (int32_t i = 0; i < batch->rows; i++)
        picked->indices[i] = picked->rows[i] - first;

    batch->logits_stride = (int64_t)request->logits.columns;
    batch->logits = (const char *)request->logits.data +
                    (size_t)first * request->logits.columns * element_bytes;
    batch->logits_rows = last - first + 1;
    batch->row_index = picked->indices;
    if (!request->masks.data)
        return;
    batch->masks = request->masks.data;
    batch->mask_stride = (int64_t)request->masks.columns;
    batch->mask_count = 1;
    batch->mask_index = picked->zeros;
    if (request->masks.rows > 1) {
        batch->masks += (size_t)first * request->masks.columns;
        batch->mask_count = batch->logits_rows;
        batch->mask_index = picked->indices;
    }
}

int request_pick(const struct request *request, const struct pick *picks,
                 int32_t count, struct picked_batch *picked)
{
    struct tessera_batch *batch = &picked->batch;

    picked->biases.count = 0;
    picked->bans.count = 0;
    for (int32_t i = 0; i < count; i++)
        if (!add_row(request, picks[i], i, picked))
            return report_memory();

    *batch = (struct tessera_batch)TESSERA_BATCH_INIT;
    batch->rows = count;
    batch->logits_type = request->type;
    use_tables(request, picked);
    batch->params = picked->params;
    batch->prompt = (struct tessera_history){request->lists.tokens.items,
                                             numbers(picked, PROMPT_OFFSETS),
                                             numbers(picked, PROMPT_LENGTHS)};
    batch->generated = (struct tessera_history){
        request->lists.tokens.items, numbers(picked, GENERATED_OFFSETS),
        numbers(picked, GENERATED_LENGTHS)};
    batch->biases = picked->biases.items;
    batch->bias_offsets = numbers(picked, BIAS_OFFSETS);
    batch->bans = picked->bans.items;
    batch->ban_offsets = numbers(picked, BAN_OFFSETS);
    return CLI_OK;
}
