/*
 * top_k.h - the k best tokens of a row, without sorting it
 */

#ifndef TESSERA_CPU_TOP_K_H
#define TESSERA_CPU_TOP_K_H

#include "row_view.h"

/* Gathers the k best tokens of a view with a token in, or all that are in, in
 * scratch->survivors, in the order of ids.  Returns how many. */
size_t gather_best(const struct row_view *view, struct scratch *scratch,
                   size_t k);

/* Ranks the n best tokens, or all that are in, their weights not set.  n is
 * 1 .. TESSERA_MAX_TOP_LOGPROBS.  Returns how many.  Uses scratch->list. */
size_t rank_best(const struct row_view *view, struct scratch *scratch, size_t n,
                 struct tessera_ranked *ranked);

#endif
