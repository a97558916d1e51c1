/*
 * edit.h - what the edits do to one logit
 *
 * The stages apply these to a whole row; host/cpu to the tokens that an edit
 * names, and to no other.  A token that is out, at -inf, stays out.
 */

#ifndef TESSERA_EDIT_H
#define TESSERA_EDIT_H

#include <tessera.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* A bias of -inf bans even a token at +inf, where the sum would be a NaN. */
static inline float tessera_biased(float x, float bias)
{
    return bias == -INFINITY ? -INFINITY : x + bias;
}

/* Of a token that occurs in the window or not, and is counted so often. */
static inline float tessera_penalised(float x, bool seen, int32_t count,
                                      const struct tessera_params *params)
{
    if (seen)
        x = x > 0.0f ? x / params->repetition_penalty
                     : x * params->repetition_penalty;
    if (count > 0) {
        x = x - (params->frequency_penalty * (float)count);
        x = x - params->presence_penalty;
    }
    return x;
}

/* After all edits: +inf counts as the largest float, which keeps x - m a
 * number, and -0 as +0. */
static inline float tessera_settled(float x)
{
    if (x > FLT_MAX)
        return FLT_MAX;
    return x == 0.0f ? 0.0f : x;
}

#endif
