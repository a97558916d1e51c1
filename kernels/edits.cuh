/*
 * edits.cuh - the entries of a row's bans, bias and window, and what they make
 * of a token
 */

#ifndef TESSERA_EDITS_CUH
#define TESSERA_EDITS_CUH

#include "row_state.h"
#include "stages/bias.cuh"
#include "stages/logits.cuh"
#include "stages/mask.cuh"
#include "stages/order.cuh"
#include "stages/penalties.cuh"

namespace tessera
{

/* In the place of a bias's bits: a bias is never a NaN, so one marks a banned
 * token. */
constexpr uint32_t banned = 0x7fffffff;

/* Of a token's count: it occurs in the window, counted or not. */
constexpr uint32_t seen = 0x80000000;

/* The entries of a row, one after the other: bans, bias, prompt, generated. */
struct entries {
    const row_state &state;

    __device__ uint32_t count() const
    {
        return (uint32_t)state.ban_count + (uint32_t)state.bias_count +
               (uint32_t)state.prompt_length + (uint32_t)state.generated_length;
    }

    /* The token of an entry; one outside the vocabulary is a placeholder. */
    __device__ int32_t token(uint32_t i) const
    {
        if (i < (uint32_t)state.ban_count)
            return state.bans[i];
        i -= (uint32_t)state.ban_count;
        if (i < (uint32_t)state.bias_count)
            return state.biases[i].token;
        i -= (uint32_t)state.bias_count;
        if (i < (uint32_t)state.prompt_length)
            return state.prompt[i];
        return state.generated[i - (uint32_t)state.prompt_length];
    }

    /* Adds to its token's count and bias what an entry says, if it is no ban;
     * those come after all others. */
    __device__ void add(uint32_t i, uint32_t *count, uint32_t *bias) const
    {
        uint32_t bans = (uint32_t)state.ban_count;
        uint32_t lists = bans + (uint32_t)state.bias_count;

        if (i < bans)
            return;
        if (i < lists) {
            *bias = __float_as_uint(state.biases[i - bans].value);
            return;
        }
        bool from_prompt = i - lists < (uint32_t)state.prompt_length;
        atomicOr(count, seen);
        if (!from_prompt || state.params.penalize_prompt != 0)
            atomicAdd(count, 1u);
    }

    __device__ void ban(uint32_t i, uint32_t *bias) const
    {
        if (i < (uint32_t)state.ban_count)
            atomicExch(bias, banned);
    }
};

/* The key of a token with this count and bias.  Sets state.nan. */
__device__ inline uint32_t edited_key(row_state &state, tessera_dtype type,
                                      int32_t token, uint32_t count,
                                      uint32_t bias)
{
    if (!allowed_at<1>(state.mask, token) || bias == banned)
        return key_out;

    float x = widen_at(state.logits, type, token);
    if (isnan(x)) {
        atomicOr(&state.nan, 1u);
        return key_out;
    }
    x = biased(x, __uint_as_float(bias));
    x = penalised(x, (count & seen) != 0, count & ~seen, state.params);
    return key_of(x);
}

} // namespace tessera

#endif
