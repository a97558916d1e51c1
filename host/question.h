/*
 * question.h - one row of a batch, its indices and offsets followed
 */

#ifndef TESSERA_QUESTION_H
#define TESSERA_QUESTION_H

#include "sampler.h"
#include "stages/stages.h"

/* All that the answer of a row depends on.  Lists with no entries are NULL. */
struct tessera_question {
    const void *logits; /* the row's first */
    enum tessera_dtype logits_type;
    struct tessera_params params;
    struct tessera_past past;
    struct tessera_edits edits;
    const uint32_t *mask; /* NULL: none */

    /* What the caller believes to be the row's largest logit after its edits;
     * a NaN: not known.  Only the status depends on it. */
    float maximum;
};

/* The params of a row, in memory that the host can read. */
struct tessera_params *tessera_batch_params(const struct tessera_batch *batch,
                                            int32_t row);

/* Once a row has been used: with advance_step, adds 1 to its step. */
void tessera_batch_advance(const struct tessera_batch *batch, int32_t row);

/* Follows a row of a checked batch.  False: the row is invalid, and *question
 * is undefined.  Call within the contract's floating-point environment. */
bool tessera_question_read(const struct tessera_sampler *sampler,
                           const struct tessera_batch *batch, int32_t row,
                           struct tessera_question *question);

/* The status of a row that is valid and has a token in, given whether there is
 * a NaN and its largest logit m.  Call within the contract's floating-point
 * environment. */
uint8_t tessera_question_status(const struct tessera_question *question,
                                bool nan, float m);

/* Whether two questions differ in no more than seed, stream, step and what is
 * believed of them: then all but the draw and the status is the same. */
bool tessera_question_same_row(const struct tessera_question *a,
                               const struct tessera_question *b);

#endif
