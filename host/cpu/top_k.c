/*
 * top_k.c - the k best tokens of a row, without sorting it
 *
 * A block's peak is a token, so the k best tokens are none of them below the
 * k-th best peak.  Only the blocks that reach that bound are read again, and
 * what reaches it there is little more than k tokens, which are then selected
 * from.  With k above the number of blocks there is no bound, and every token
 * that is in is selected from.
 */

#include "top_k.h"

#include "select.h"

#include <float.h>

/* No token among the k best is below this. */
static float bound_of(const struct row_view *view, struct scratch *scratch,
                      size_t k)
{
    struct token_list *list = &scratch->list;
    float low = view->m;
    size_t peaks = 0;

    if (k > view->block_count)
        return -FLT_MAX;
    for (size_t block = 0; block < view->block_count; block++) {
        float peak = view->blocks.peak[block];

        if (peak == -INFINITY)
            continue;
        list->x[peaks] = peak;
        list->id[peaks++] = (int32_t)block;
        low = peak < low ? peak : low;
    }
    if (k > peaks)
        return -FLT_MAX;
    return select_cut(scratch, peaks, low, view->m, k, NULL).x;
}

static size_t gather_from(const struct row_view *view, struct scratch *scratch,
                          float bound, struct token_list *list)
{
    size_t count = 0;

    for (size_t block = 0; block < view->block_count; block++) {
        if (view->blocks.peak[block] < bound)
            continue;
        count += view->loops->collect(
            view_block(view, block, scratch->block), bound, INFINITY,
            (int32_t)(block * BLOCK_TOKENS), list->x + count, list->id + count);
    }
    return count;
}

size_t gather_best(const struct row_view *view, struct scratch *scratch,
                   size_t k)
{
    struct token_list *survivors = &scratch->survivors;
    float bound = bound_of(view, scratch, k);
    size_t count = gather_from(view, scratch, bound, survivors);

    if (count <= k)
        return count;
    float low = view->m;
    for (size_t i = 0; i < count; i++) {
        float x = survivors->x[i];

        scratch->list.x[i] = x;
        scratch->list.id[i] = survivors->id[i];
        low = x < low ? x : low;
    }
    struct cut cut = select_cut(scratch, count, low, view->m, k, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        survivors->x[kept] = survivors->x[i];
        survivors->id[kept] = survivors->id[i];
        kept += before_cut(survivors->x[i], survivors->id[i], cut);
    }
    return kept;
}

size_t rank_best(const struct row_view *view, struct scratch *scratch, size_t n,
                 struct tessera_ranked *ranked)
{
    const struct token_list *list = &scratch->list;
    size_t ranked_count = 0;

    if (n == 0)
        return 0;
    float bound = bound_of(view, scratch, n);
    size_t count = gather_from(view, scratch, bound, &scratch->list);
    for (size_t i = 0; i < count; i++) {
        size_t at = ranked_count;

        if (at == n && !(list->x[i] > ranked[n - 1].x))
            continue;
        if (at < n)
            ranked_count++;
        else
            at = n - 1;
        for (; at > 0 && list->x[i] > ranked[at - 1].x; at--)
            ranked[at] = ranked[at - 1];
        ranked[at] = (struct tessera_ranked){list->x[i] + 0.0f, list->id[i], 0};
    }
    return ranked_count;
}
