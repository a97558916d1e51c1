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
    return x > cut.x || (x == cut.x && place <= cut.place);
}

/*
 * Cuts scratch->list, 'count' tokens with finite low <= x <= high, where 'need'
 * is reached: the kept tokens are the fewest best that weigh at least 'need'
 * together, which is at least 1 and at most what all of them weigh.  With
 * 'weighing' NULL each weighs 1, so the kept are the best 'need'; otherwise
 * they are added to kept_weight and kept_count of their blocks.
 *
 * The list is used up.  Costs a few passes over it.
 */
struct cut select_cut(struct scratch *scratch, size_t count, float low,
                      float high, uint64_t need,
                      const struct weighing *weighing);

#endif
