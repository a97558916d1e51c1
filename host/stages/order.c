/*
 * order.c - rank the tokens that are in
 *
 * By logit descending, equal logits by lower id first: a total order, so that
 * "the k best" names one set and no filter ever meets a tie.  This is the
 * definition and sorts outright; a faster path selects instead.
 */

#include "edit.h"
#include "stages.h"

#include <math.h>
#include <string.h>

static bool comes_before(const struct tessera_ranked *a,
                         const struct tessera_ranked *b)
{
    if (a->x != b->x)
        return a->x > b->x;
    return a->token < b->token;
}

/* Merge sort from the bottom up: no recursion, no allocation, the same
 * n log n comparisons for every row. */
static void sort(struct tessera_ranked *ranked, struct tessera_ranked *scratch,
                 size_t count)
{
    struct tessera_ranked *from = ranked;
    struct tessera_ranked *to = scratch;

    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = middle + width < count ? middle + width : count;
            size_t left = start;
            size_t right = middle;

            for (size_t i = start; i < end; i++) {
                bool take_left =
                    left < middle &&
                    (right == end || comes_before(&from[left], &from[right]));
                to[i] = take_left ? from[left++] : from[right++];
            }
        }
        struct tessera_ranked *swap = from;
        from = to;
        to = swap;
    }
    if (from != ranked)
        memcpy(ranked, from, count * sizeof(*ranked));
}

void tessera_order(struct tessera_row *row)
{
    row->in = 0;
    for (int32_t token = 0; token < row->vocab; token++) {
        float *x = &row->x[token];

        if (*x == -INFINITY)
            continue;
        *x = tessera_settled(*x);
        row->ranked[row->in++] = (struct tessera_ranked){*x, token, 0};
    }
    sort(row->ranked, row->scratch, row->in);
    row->kept = row->in;
}
