/*
 * sample_params.c - a call of tessera_sample() made of bytes: params
 */

#include "sample_call.h"

/* Mostly the usual value, then a nice one, one of [0, 1), or any bits. */
static float take_float(struct bytes *bytes, float usual, const float nice[4])
{
    uint32_t kind = take_below(bytes, 32);

    if (kind < 16)
        return usual;
    if (kind < 22)
        return nice[take_below(bytes, 4)];
    if (kind < 31)
        return (float)take(bytes, 3) * 0x1p-24f;
    return take_float_bits(bytes);
}

static void take_params(struct bytes *bytes, struct tessera_params *params)
{
    static const float penalties[] = {0, -1, 1e6f, -1e6f};
    static const float repetitions[] = {1e6f, 0x1p-149f, 2, 0};
    static const float temperatures[] = {0, 0x1.4f8b58p-17f, 1e6f, 0.125f};
    static const float shares[] = {0, 1, 0.5f, 0x1p-149f};
    uint32_t rare = take_below(bytes, 32);

    *params = (struct tessera_params)TESSERA_PARAMS_INIT;
    params->temperature = take_float(bytes, 1, temperatures);
    params->top_p = take_float(bytes, 1, shares);
    params->min_p = take_float(bytes, 0, shares);
    if (take_below(bytes, 2))
        params->top_k = (int32_t)take_below(bytes, 32) - 1;
    if (take_below(bytes, 2)) {
        params->repetition_penalty = take_float(bytes, 1, repetitions);
        params->frequency_penalty = take_float(bytes, 0, penalties);
        params->presence_penalty = take_float(bytes, 0, penalties);
        params->penalty_window = (int32_t)take_below(bytes, 64) - 1;
        params->penalize_prompt = (int32_t)take_below(bytes, 3);
    }
    params->seed = take(bytes, 1);
    if (rare == 31)
        params->step = (UINT64_C(1) << 62) - 1 + take_below(bytes, 2);
    else if (rare == 30)
        params->top_k = (int32_t)take(bytes, 4);
    else if (rare == 29)
        params->penalty_window = (int32_t)take(bytes, 4);
    else if (rare >= 24)
        params->seed = take(bytes, 8);
    else if (rare >= 20)
        params->stream = take(bytes, 8);
    else if (rare >= 16)
        params->step = take(bytes, 7);
}

void params_of_bytes(struct bytes *bytes, struct sample_call *call)
{
    struct tessera_batch *batch = &call->batch;
    size_t rows = (size_t)batch->rows;

    batch->params_stride += 8 * take_below(bytes, 3);
    size_t size = sizeof(struct tessera_params);
    batch->params = new_array(
        call, rows == 0 ? 0 : (rows - 1) * batch->params_stride + size, 8);
    for (int32_t row = 0; row < batch->rows; row++)
        take_params(bytes, params_of(batch, row));
    batch->advance_step = (int32_t)take_below(bytes, 2);

    /* Bounds in host memory mean nothing. */
    batch->params_memory = (enum tessera_memory)take_below(bytes, 2);
    batch->stages = 31;
    batch->max_top_k = INT32_MAX;
    if (take_once_in(bytes, 6)) {
        batch->stages = take_below(bytes, 32);
        batch->max_top_k = (int32_t)take_below(bytes, 32);
    }
}
