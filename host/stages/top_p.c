/*
 * top_p.c - keep the fewest tokens that together hold p of the weight
 *
 * Tokens are taken in order while the weight before them is less than p of
 * what top-k kept.  The token that crosses p stays, so a row that had a token
 * still has one; p = 0 keeps the best.  p = 1 is off.
 */

#include "stages.h"

#include <math.h>

uint64_t tessera_top_p_share(float p)
{
    return (uint64_t)rint((double)p * 0x1p32);
}

void tessera_top_p(struct tessera_row *row, float p)
{
    if (p >= 1.0f)
        return;

    uint64_t total = 0;
    for (size_t i = 0; i < row->kept; i++)
        total += row->ranked[i].weight;

    /* Kept while before * 2^32 < P * total; both sides stay under 2^94. */
    tessera_uint128 limit = (tessera_uint128)tessera_top_p_share(p) * total;
    uint64_t before = 0;
    size_t kept = 0;
    do
        before += row->ranked[kept++].weight;
    while (kept < row->kept && (tessera_uint128)before << 32 < limit);
    row->kept = kept;
}
