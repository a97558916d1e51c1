/*
 * answer.c - write a row's outputs
 */

#include "answer.h"

#include <math.h>

bool tessera_wants_raw(const struct tessera_outputs *outputs)
{
    return outputs->raw_logprob || outputs->rank ||
           (outputs->top_raw && outputs->top_n > 0);
}

struct tessera_answer tessera_no_answer(uint8_t status)
{
    return (struct tessera_answer){
        .token = -1,
        .logprob = -INFINITY,
        .raw_logprob = -INFINITY,
        .status = status,
    };
}

static void write_top(const struct tessera_answer *answer,
                      const struct tessera_outputs *outputs, int32_t row)
{
    size_t first = (size_t)row * (size_t)outputs->top_n;

    for (int32_t i = 0; i < outputs->top_n; i++) {
        bool listed = i < answer->listed;

        if (outputs->top_tokens)
            outputs->top_tokens[first + (size_t)i] =
                listed ? answer->top_tokens[i] : -1;
        if (outputs->top_logprobs)
            outputs->top_logprobs[first + (size_t)i] =
                listed ? answer->top_logprobs[i] : -INFINITY;
    }
}

void tessera_answer_write(const struct tessera_answer *answer,
                          const struct tessera_outputs *outputs, int32_t row)
{
    if (outputs->token)
        outputs->token[row] = answer->token;
    if (outputs->status)
        outputs->status[row] = answer->status;
    if (outputs->n_kept)
        outputs->n_kept[row] = answer->n_kept;
    if (outputs->weight_sum)
        outputs->weight_sum[row] = answer->weight_sum;
    if (outputs->logprob)
        outputs->logprob[row] = answer->logprob;
    if (outputs->raw_logprob)
        outputs->raw_logprob[row] = answer->raw_logprob;
    if (outputs->rank)
        outputs->rank[row] = answer->rank;
    write_top(answer, outputs, row);
}
