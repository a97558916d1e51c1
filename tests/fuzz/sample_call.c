/*
 * sample_call.c - a call of tessera_sample() made of bytes
 */

#include "sample_call.h"

#include "fuzz.h"

void *new_array(struct sample_call *call, size_t bytes, size_t alignment)
{
    struct array *array = &call->arrays[call->array_count++];

    REQUIRE(call->array_count <= MOST_ARRAYS, "too many arrays");
    *array = (struct array){malloc(alignment + bytes), alignment, bytes, NULL};
    REQUIRE(array->memory, "no memory for %zu bytes", bytes);
    memset(array->memory, FILL, alignment + bytes);
    return array->memory + alignment;
}

struct tessera_params *params_of(const struct tessera_batch *batch, int32_t row)
{
    return (struct tessera_params *)(void *)((char *)batch->params +
                                             (size_t)row *
                                                 batch->params_stride);
}

void call_of_bytes(struct bytes *bytes, struct sample_call *call)
{
    static const int32_t edges[] = {1, 31, 32, 33, 64, 65, 128, MOST_VOCAB};
    uint32_t kind = take_below(bytes, 4);

    *call = (struct sample_call){.config = TESSERA_CONFIG_INIT,
                                 .batch = TESSERA_BATCH_INIT,
                                 .outputs = TESSERA_OUTPUTS_INIT};
    call->config.vocab = kind == 3 ? edges[take_below(bytes, 8)]
                         : kind == 2
                             ? 1 + (int32_t)take_below(bytes, MOST_VOCAB)
                             : 2 + (int32_t)take_below(bytes, 16);
    call->config.max_rows = MOST_ROWS;
    call->config.max_history = take_once_in(bytes, 4) ? 20 : 80;
    call->config.max_edits = take_once_in(bytes, 4) ? 8 : 64;
    call->config.max_top_logprobs = TOP_N;
    call->config.plans = take_below(bytes, 4);
    if (take_once_in(bytes, 4))
        call->config.workspace_limit = 1;

    call->batch.rows =
        (int32_t)((1 + take_below(bytes, MOST_ROWS + 1)) % (MOST_ROWS + 1));
    history_of_bytes(bytes, call, &call->batch.prompt);
    history_of_bytes(bytes, call, &call->batch.generated);
    params_of_bytes(bytes, call);
    logits_of_bytes(bytes, call);
    masks_of_bytes(bytes, call);
    edits_of_bytes(bytes, call);
    maxima_of_bytes(bytes, call);

    call->wanted = ~(uint32_t)take(bytes, 2);
    call->outputs.top_n = (int32_t)take_below(bytes, 8);
    if (call->outputs.top_n == 7)
        call->outputs.top_n = TOP_N;
    call->outputs.top_raw = (int32_t)take_below(bytes, 2);
    for (size_t i = 0; i < call->array_count; i++) {
        struct array *array = &call->arrays[i];
        size_t size = array->shift + array->bytes;

        array->before = malloc(size);
        REQUIRE(array->before, "no memory for %zu bytes", size);
        memcpy(array->before, array->memory, size);
    }
}

void check_inputs(const struct sample_call *call)
{
    for (size_t i = 0; i < call->array_count; i++) {
        const struct array *array = &call->arrays[i];
        const uint8_t *params = (const uint8_t *)call->batch.params;

        if (call->batch.advance_step && array->memory + array->shift == params)
            continue;
        REQUIRE(memcmp(array->before, array->memory,
                       array->shift + array->bytes) == 0,
                "input array %zu was written", i);
    }
}

void free_call(struct sample_call *call)
{
    for (size_t i = 0; i < call->array_count; i++) {
        free(call->arrays[i].memory);
        free(call->arrays[i].before);
    }
}
