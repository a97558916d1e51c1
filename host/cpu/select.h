/*
 * select.h - where the order is cut, without sorting
 */

#ifndef TESSERA_CPU_SELECT_H
#define TESSERA_CPU_SELECT_H

#include "scratch.h"

/* The last token of the order that is kept. */
struct cut {
    float x;
    int32_t place;
};

static inline bool before_cut(float x, int32_t place, struct cut cut)
{
    return (x > cut.x) | ((x == cut.x) & (place <= cut.place));
}

/*
 * Cuts a list of 'count' tokens with finite low <= x <= high where 'need' is
 * reached: the kept tokens are the fewest best that weigh at least 'need'
 * together, which is at least 1 and at most what all of them weigh.  With
 * 'weighing' NULL each weighs 1, so the kept are the best 'need'.
 *
 * The list stays as it is.  Uses scratch->picked, and costs a few passes.
 */
struct cut select_cut(struct scratch *scratch, const struct token_list *list,
                      size_t count, float low, float high, uint64_t need,
                      const struct weighing *weighing);

#endif
