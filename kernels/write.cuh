/*
 * write.cuh - a row's outputs, whatever plan found them
 */

#ifndef TESSERA_WRITE_CUH
#define TESSERA_WRITE_CUH

#include "row_state.h"
#include "stages/logprobs.cuh"
#include "stages/order.cuh"

namespace tessera
{

/* Adds 1 to the step of a row of the chunk, once it has been used. */
__device__ inline void advance_step(const call_view &call, uint32_t chunk_row)
{
    tessera_params *params = reinterpret_cast<tessera_params *>(
        reinterpret_cast<char *>(call.params) + chunk_row * call.params_stride);

    if (params->step < 1ull << 62)
        params->step++;
}

/* The status of a row as drawn. */
__device__ inline uint32_t status_of(const row_state &state)
{
    if (!state.valid)
        return TESSERA_ROW_INVALID;
    uint32_t status = state.nan ? TESSERA_ROW_NAN : 0;
    if (state.best == 0)
        status |= TESSERA_ROW_EMPTY;
    else if (!isnan(state.maximum) &&
             key_of(state.maximum) != key_of_rank(state.best))
        status |= TESSERA_ROW_MAXIMUM;
    return status;
}

/* By one thread: what is asked for of the row as drawn, but for its list.
 * 'key' is the drawn token's; not read where none was drawn. */
__device__ inline void write_drawn(const tessera_outputs &outputs, size_t row,
                                   const row_state &state, uint32_t key)
{
    bool drawn = state.token >= 0;

    if (outputs.token)
        outputs.token[row] = state.token;
    if (outputs.n_kept)
        outputs.n_kept[row] = drawn ? (int32_t)state.kept : 0;
    if (outputs.weight_sum)
        outputs.weight_sum[row] = drawn ? state.sum : 0;
    if (outputs.status)
        outputs.status[row] = (uint8_t)status_of(state);
    if (outputs.logprob) {
        float logprob = minus_infinity();
        if (drawn && state.greedy)
            logprob = 0.0f;
        else if (drawn)
            logprob =
                logprob_of(logit_of(key), logit_of(key_of_rank(state.best)),
                           state.params.temperature, log_sum(state.sum));
        outputs.logprob[row] = logprob;
    }
}

/* By one thread: what is asked for of the row as given, but for its list.
 * 'key' is the drawn token's; not read where none was drawn. */
__device__ inline void write_raw_drawn(const tessera_outputs &outputs,
                                       size_t row, const row_state &state,
                                       uint32_t key)
{
    bool drawn = state.token >= 0;

    if (outputs.rank)
        outputs.rank[row] = drawn ? (int32_t)state.ahead + 1 : 0;
    if (outputs.raw_logprob)
        outputs.raw_logprob[row] =
            drawn ? logprob_of(logit_of(key), logit_of(key_of_rank(state.best)),
                               1.0f, log_sum(state.sum))
                  : minus_infinity();
}

/* Entry i of a row's list of top tokens. */
__device__ inline void write_listed(const tessera_outputs &outputs, size_t row,
                                    int32_t i, int32_t token, float logprob)
{
    size_t entry = row * (size_t)outputs.top_n + (size_t)i;

    if (outputs.top_tokens)
        outputs.top_tokens[entry] = token;
    if (outputs.top_logprobs)
        outputs.top_logprobs[entry] = logprob;
}

} // namespace tessera

#endif
