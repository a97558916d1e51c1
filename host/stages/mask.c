/*
 * mask.c - take out the tokens that may not come next
 *
 * The mask is what a grammar or schema allows at this place; bans are ids
 * that the request forbids.  A token that is out takes part in nothing after
 * this, and no bias brings it back.
 */

#include "stages.h"

#include <math.h>

void tessera_mask(struct tessera_row *row, const uint32_t *mask,
                  const int32_t *bans, size_t ban_count)
{
    if (mask) {
        for (size_t token = 0; token < (size_t)row->vocab; token++)
            if (!(mask[token / 32] >> token % 32 & 1))
                row->x[token] = -INFINITY;
    }
    for (size_t i = 0; i < ban_count; i++)
        row->x[bans[i]] = -INFINITY;

    /* Only now: a NaN that mask or bans removed is nobody's concern. */
    row->nan = false;
    for (size_t token = 0; token < (size_t)row->vocab; token++) {
        if (isnan(row->x[token])) {
            row->nan = true;
            row->x[token] = -INFINITY;
        }
    }
}
