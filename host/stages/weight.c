/*
 * weight.c - the weight of a token, a 64-bit integer
 *
 * w is 2^40 * 2^(d * c) for a token that is d below the best, from a fixed
 * list of binary32 operations and a shift.  It is 2^40 for the best token,
 * never rises as d falls, and is 0 from about 40 / c below on.  Because it is
 * an integer, sums of weights have no order and no rounding: every split of a
 * row over threads, blocks or devices gives the same sum.
 */

#include "stages.h"

uint64_t tessera_weight(float distance, struct tessera_scale scale)
{
    return tessera_weight_of(distance, scale);
}

void tessera_weigh(struct tessera_row *row, struct tessera_scale scale)
{
    float m = row->ranked[0].x;

    for (size_t i = 0; i < row->in; i++)
        row->ranked[i].weight = tessera_weight(row->ranked[i].x - m, scale);
}
