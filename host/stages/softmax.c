/*
 * softmax.c - the sum that every probability is divided by
 *
 * The one normalisation of a row, after all filters: a kept token's
 * probability is its weight over this sum.  The maximum was subtracted when
 * the tokens were weighed.  At most 2^22 weights of at most 2^40: 62 bits.
 */

#include "stages.h"

uint64_t tessera_softmax(const struct tessera_row *row)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < row->kept; i++)
        sum += row->ranked[i].weight;
    return sum;
}
