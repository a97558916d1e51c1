/*
 * row_answer.h - all that is asked of one row
 */

#ifndef TESSERA_CPU_ROW_ANSWER_H
#define TESSERA_CPU_ROW_ANSWER_H

#include "../answer.h"
#include "../question.h"
#include "scratch.h"

/* The answer of a valid row of 'tokens' logits. */
void answer_row(const struct tessera_question *question, size_t tokens,
                const struct tessera_outputs *outputs, struct scratch *scratch,
                struct tessera_answer *answer);

#endif
