/*
 * edits.h - the tokens that bans, bias and history name, edited
 */

#ifndef TESSERA_CPU_EDITS_H
#define TESSERA_CPU_EDITS_H

#include "row_view.h"

/* Puts the mask and the edits of a question into a raw view, in time that
 * grows with the number of edits and not with the row. */
void view_edit(struct row_view *view, struct scratch *scratch,
               const struct tessera_question *question);

#endif
