/*
 * penalties.c - make tokens that have occurred less likely, or more
 *
 * Repetition scales a logit towards "unlikely" once, however often the token
 * occurred: it divides what is positive and multiplies what is not, since
 * dividing a negative logit would raise it.  Frequency subtracts for every
 * occurrence, presence once.
 *
 * The window is the last entries of prompt and generated in one row.
 * Repetition sees all of it; frequency and presence count what was generated,
 * or all of the window with penalize_prompt.
 */

#include "stages.h"

/* Of one token in the window.  Fits the scratch of a row. */
struct occurrence {
    int32_t seen;
    int32_t count;
};

static void count_segment(struct occurrence *occurrences, int32_t vocab,
                          const int32_t *tokens, size_t length, bool counts)
{
    for (size_t i = 0; i < length; i++) {
        int32_t token = tokens[i];

        if (token < 0 || token >= vocab)
            continue; /* a placeholder: it matches nothing */
        occurrences[token].seen = 1;
        occurrences[token].count += counts;
    }
}

void tessera_penalties(struct tessera_row *row, const struct tessera_past *past,
                       const struct tessera_params *params)
{
    float repetition = params->repetition_penalty;
    float frequency = params->frequency_penalty;
    float presence = params->presence_penalty;

    if (repetition == 1.0f && frequency == 0.0f && presence == 0.0f)
        return;

    size_t window = past->prompt_length + past->generated_length;
    if (params->penalty_window >= 0 && (size_t)params->penalty_window < window)
        window = (size_t)params->penalty_window;
    size_t from_generated =
        window < past->generated_length ? window : past->generated_length;
    size_t from_prompt = window - from_generated;

    struct occurrence *occurrences = row->scratch;
    for (size_t token = 0; token < (size_t)row->vocab; token++)
        occurrences[token] = (struct occurrence){0, 0};
    if (from_prompt > 0)
        count_segment(occurrences, row->vocab,
                      past->prompt + (past->prompt_length - from_prompt),
                      from_prompt, params->penalize_prompt != 0);
    if (from_generated > 0)
        count_segment(occurrences, row->vocab,
                      past->generated +
                          (past->generated_length - from_generated),
                      from_generated, true);

    for (size_t token = 0; token < (size_t)row->vocab; token++) {
        float x = row->x[token];

        if (occurrences[token].seen)
            x = x > 0.0f ? x / repetition : x * repetition;
        if (occurrences[token].count > 0) {
            x = x - (frequency * (float)occurrences[token].count);
            x = x - presence;
        }
        row->x[token] = x;
    }
}
