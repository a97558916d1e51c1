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

#include "edit.h"
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

bool tessera_penalties_on(const struct tessera_params *params)
{
    return params->repetition_penalty != 1.0f ||
           params->frequency_penalty != 0.0f ||
           params->presence_penalty != 0.0f;
}

struct tessera_window
tessera_penalty_window(const struct tessera_past *past,
                       const struct tessera_params *params)
{
    size_t window = past->prompt_length + past->generated_length;

    if (params->penalty_window >= 0 && (size_t)params->penalty_window < window)
        window = (size_t)params->penalty_window;

    size_t generated =
        window < past->generated_length ? window : past->generated_length;
    struct tessera_window part = {.prompt_length = window - generated,
                                  .generated_length = generated};
    if (part.prompt_length > 0)
        part.prompt = past->prompt + (past->prompt_length - part.prompt_length);
    if (part.generated_length > 0)
        part.generated =
            past->generated + (past->generated_length - part.generated_length);
    return part;
}

void tessera_penalties(struct tessera_row *row, const struct tessera_past *past,
                       const struct tessera_params *params)
{
    if (!tessera_penalties_on(params))
        return;

    struct tessera_window window = tessera_penalty_window(past, params);
    struct occurrence *occurrences = row->scratch;
    for (size_t token = 0; token < (size_t)row->vocab; token++)
        occurrences[token] = (struct occurrence){0, 0};
    count_segment(occurrences, row->vocab, window.prompt, window.prompt_length,
                  params->penalize_prompt != 0);
    count_segment(occurrences, row->vocab, window.generated,
                  window.generated_length, true);

    for (size_t token = 0; token < (size_t)row->vocab; token++)
        row->x[token] =
            tessera_penalised(row->x[token], occurrences[token].seen != 0,
                              occurrences[token].count, params);
}
