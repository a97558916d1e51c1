/*
 * check.cuh - what makes a row invalid, on the device
 *
 * Same rules as host/check_row.c and host/question.c, with the ranges of the
 * host library's own table.
 */

#ifndef TESSERA_CHECK_CUH
#define TESSERA_CHECK_CUH

#include "row_state.h"
#include "stages/temperature.cuh"

namespace tessera
{

__device__ inline bool in_range(const parameter_range &range,
                                const tessera_params &params)
{
    const char *field = reinterpret_cast<const char *>(&params) + range.offset;

    if (range.type == TESSERA_PARAMETER_WORD)
        return *reinterpret_cast<const uint64_t *>(field) <= range.maximum_word;

    /* Not one expression with ?:, whose type would be float: 2^31 - 1 is none.
     * A NaN fails the first comparison. */
    double value = *reinterpret_cast<const int32_t *>(field);
    if (range.type == TESSERA_PARAMETER_FLOAT)
        value = *reinterpret_cast<const float *>(field);
    return value >= range.minimum && value <= range.maximum &&
           !(range.minimum_open && value == range.minimum);
}

__device__ inline bool params_valid(const parameter_ranges &ranges,
                                    const tessera_params &params)
{
    bool valid = true;

    for (int i = 0; i < ranges.count; i++)
        valid = valid && in_range(ranges.range[i], params);
    return valid;
}

__device__ inline bool penalises(const tessera_params &params)
{
    return params.repetition_penalty != 1.0f ||
           params.frequency_penalty != 0.0f || params.presence_penalty != 0.0f;
}

__device__ inline uint32_t stages_of(const tessera_params &params)
{
    uint32_t stages = 0;

    if (penalises(params))
        stages |= TESSERA_STAGE_PENALTIES;
    if (!is_greedy(params.temperature))
        stages |= TESSERA_STAGE_DRAW;
    if (params.top_k > 0)
        stages |= TESSERA_STAGE_TOP_K;
    if (params.top_p < 1.0f)
        stages |= TESSERA_STAGE_TOP_P;
    if (params.min_p > 0.0f)
        stages |= TESSERA_STAGE_MIN_P;
    return stages;
}

/* Follows a segment of the history of a row of the batch.  False: invalid. */
__device__ inline bool follow_history(const tessera_history &history,
                                      int32_t row, const int32_t *&tokens,
                                      int64_t &length)
{
    tokens = nullptr;
    length = 0;
    if (!history.lengths)
        return true;

    int64_t offset = history.offsets[row];
    length = history.lengths[row];
    if (offset < 0 || length < 0 || (length > 0 && !history.tokens))
        return false;
    tokens = history.tokens + offset;
    return true;
}

/* Follows a row's entries in a list with offsets [rows + 1]. */
__device__ inline bool follow_list(const int64_t *offsets, int32_t row,
                                   int64_t most, int64_t &start, int32_t &count)
{
    start = 0;
    count = 0;
    if (!offsets)
        return true;

    int64_t end = offsets[row + 1];
    start = offsets[row];
    if (start < 0 || end < start || end - start > most)
        return false;
    count = (int32_t)(end - start);
    return true;
}

/* Fills in what is the row's own, but for its lists' entries, which are not
 * looked at.  False: the row is invalid. */
__device__ inline bool follow_row(const call_view &call, int32_t row,
                                  row_state &state)
{
    const tessera_batch &batch = call.batch;

    int64_t index = batch.row_index ? batch.row_index[row] : row;
    if (index < 0 || index >= batch.logits_rows)
        return false;
    int64_t bytes = batch.logits_type == TESSERA_FLOAT32 ? 4 : 2;
    state.logits = static_cast<const char *>(batch.logits) +
                   index * batch.logits_stride * bytes;

    int64_t mask = batch.mask_index ? batch.mask_index[row]
                   : batch.masks    ? row
                                    : -1;
    if (mask < -1 || mask >= batch.mask_count)
        return false;
    state.mask = mask < 0 ? nullptr : batch.masks + mask * batch.mask_stride;
    state.maximum =
        batch.row_maxima ? batch.row_maxima[row] : __uint_as_float(0x7fffffff);

    int64_t prompt_length;
    int64_t generated_length;
    if (!follow_history(batch.prompt, row, state.prompt, prompt_length) ||
        !follow_history(batch.generated, row, state.generated,
                        generated_length) ||
        prompt_length > call.max_history ||
        generated_length > call.max_history - prompt_length)
        return false;

    int64_t bias_start;
    int64_t ban_start;
    if (!follow_list(batch.bias_offsets, row, call.max_edits, bias_start,
                     state.bias_count) ||
        !follow_list(batch.ban_offsets, row, call.max_edits - state.bias_count,
                     ban_start, state.ban_count) ||
        (state.bias_count > 0 && !batch.biases) ||
        (state.ban_count > 0 && !batch.bans))
        return false;
    state.biases = batch.biases + bias_start;
    state.bans = batch.bans + ban_start;

    /* The window: the last entries of both segments in one row. */
    int64_t window =
        penalises(state.params) ? prompt_length + generated_length : 0;
    if (state.params.penalty_window >= 0 &&
        state.params.penalty_window < window)
        window = state.params.penalty_window;
    state.generated_length =
        (int32_t)(window < generated_length ? window : generated_length);
    state.prompt_length = (int32_t)(window - state.generated_length);
    state.generated += generated_length - state.generated_length;
    state.prompt += prompt_length - state.prompt_length;
    return true;
}

/* Entry 'i' of the row's bias list and, as far as it goes, its ban list. */
__device__ inline bool edits_valid_at(const row_state &state, int32_t i,
                                      int32_t vocab)
{
    if (i < state.bias_count) {
        tessera_bias bias = state.biases[i];
        if (bias.token < 0 || bias.token >= vocab ||
            (i > 0 && bias.token <= state.biases[i - 1].token) ||
            !(bias.value <= 3.402823466e+38f)) /* +inf or NaN */
            return false;
    }
    return i >= state.ban_count ||
           (state.bans[i] >= 0 && state.bans[i] < vocab);
}

/* Sets 'state', in shared memory, to what a row of the batch is from its params
 * on, before any pass over its logits.  Call from every thread of the block;
 * valid in all of them after the barrier that the caller puts behind it. */
template <int Threads>
__device__ inline void check_row_block(const call_view &call, int32_t row,
                                       const tessera_params &params,
                                       const row_bounds &bounds,
                                       row_state &state)
{
    if (threadIdx.x == 0) {
        state = {};
        state.params = params;
        state.token = -1;
        state.valid = params_valid(bounds.ranges, params) &&
                      (stages_of(params) & ~bounds.stages) == 0 &&
                      params.top_k <= bounds.max_top_k &&
                      follow_row(call, row, state);
    }
    __syncthreads();

    bool right = true;
    if (state.valid) {
        int32_t most = max(state.bias_count, state.ban_count);
        for (int32_t i = (int32_t)threadIdx.x; i < most; i += Threads)
            right = right && edits_valid_at(state, i, call.vocab);
    }
    right = __syncthreads_and(right);

    if (threadIdx.x == 0) {
        state.valid = state.valid && right;
        state.edited = state.bias_count > 0 || state.ban_count > 0 ||
                       state.prompt_length > 0 || state.generated_length > 0;
        state.greedy = is_greedy(state.params.temperature);
        if (!state.greedy) {
            state.c = scale_of(state.params.temperature);
            state.dmin = lowest_distance(state.c);
        }
    }
}

} // namespace tessera

#endif
