/*
 * ask_vector.h - put a question of a vectors file to a backend
 *
 * A question is asked as one batch whose rows, one a step, share the logits
 * and have the same lists.  All that the API shows of an answer is compared by
 * its bits; what a row was between the stages (max, n, nk, np) it cannot show.
 */

#ifndef TESSERA_CLI_ASK_VECTOR_H
#define TESSERA_CLI_ASK_VECTOR_H

#include "launches.h"
#include "pool.h"
#include "vectors.h"

/* What came of it: a row a step. */
struct vector_outcome {
    /* Not TESSERA_OK: the backend gave no answer; tessera_last_error() says
     * why, unless it is that no memory was left for the question itself. */
    enum tessera_status status;

    /* What the file says and what the backend says.  Of the
     * log-probabilities, only those of the first row are in the file. */
    struct tessera_outputs expected;
    struct tessera_outputs given;

    /* The first row where the two differ, and the name of the output; NULL
     * where they are equal. */
    int32_t row;
    const char *output;

    struct pool pool;
};

/* Asks, counting launches, and compares.  'logits' are vector_logits().  The
 * outcome is to be freed by vector_outcome_free() in any case. */
void ask_vector(const struct backend_choice *backend,
                const struct vector_case *asked, const void *logits,
                struct launches *launches, struct vector_outcome *outcome);

void vector_outcome_free(struct vector_outcome *outcome);

#endif
