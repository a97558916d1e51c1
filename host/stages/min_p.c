/*
 * min_p.c - keep tokens with at least q times the weight of the best
 *
 * The best weighs 2^40, so the threshold is q * 2^40, rounded up; and at least
 * 1: a token of weight 0 cannot be drawn, and what is kept is what can be.
 * So this stage runs in every row that draws, q = 0 included.
 */

#include "stages.h"

#include <math.h>

uint64_t tessera_min_p_threshold(float q)
{
    uint64_t threshold = (uint64_t)ceil((double)q * 0x1p40);

    return threshold < 1 ? 1 : threshold;
}

void tessera_min_p(struct tessera_row *row, float q)
{
    uint64_t threshold = tessera_min_p_threshold(q);

    /* Weights never rise along the order, so what stays is a prefix. */
    while (row->kept > 0 && row->ranked[row->kept - 1].weight < threshold)
        row->kept--;
}
