/*
 * answer.h - what is said of a row, and where a call wants it written
 */

#ifndef TESSERA_ANSWER_H
#define TESSERA_ANSWER_H

#include "sampler.h"

#include <stdbool.h>

/* All that can be asked of a row.  What is not wanted need not be set. */
struct tessera_answer {
    int32_t token;
    float logprob;
    float raw_logprob;
    int32_t rank;
    int32_t n_kept;
    uint64_t weight_sum;
    uint8_t status;

    /* The first of the list of top tokens, 'listed' of them. */
    int32_t listed;
    int32_t top_tokens[TESSERA_MAX_TOP_LOGPROBS];
    float top_logprobs[TESSERA_MAX_TOP_LOGPROBS];
};

/* Whether an output asks for what is of the raw row. */
bool tessera_wants_raw(const struct tessera_outputs *outputs);

/* The answer of a row that has no token, its list empty. */
struct tessera_answer tessera_no_answer(uint8_t status);

/* Writes the outputs of a row that are wanted. */
void tessera_answer_write(const struct tessera_answer *answer,
                          const struct tessera_outputs *outputs, int32_t row);

#endif
