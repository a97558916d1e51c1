/*
 * filters.h - which tokens can be drawn, and how often
 */

#ifndef TESSERA_CPU_FILTERS_H
#define TESSERA_CPU_FILTERS_H

#include "row_view.h"
#include "select.h"

/* A row after its filters. */
struct kept {
    struct row_view view; /* of the edited row, or of what top-k kept of it */
    struct weighing weighing;
    bool greedy;

    /* The kept tokens are those up to here; their number, and the sum of their
     * weights.  What each block has of it is in scratch. */
    struct cut cut;
    int32_t count;
    uint64_t sum;
};

/* Filters a view with a token in; greedy rows are not filtered. */
void filter_view(struct kept *kept, struct scratch *scratch,
                 const struct row_view *view,
                 const struct tessera_params *params);

/* The kept token that holds the target, and in *x its logit. */
int32_t draw_kept(const struct kept *kept, struct scratch *scratch,
                  uint64_t target, float *x);

/* The first token of the order. */
int32_t best_of(const struct row_view *view, struct scratch *scratch);

/* The weight of all tokens of a view. */
uint64_t weigh_view(const struct row_view *view, struct scratch *scratch,
                    const struct weighing *weighing);

#endif
