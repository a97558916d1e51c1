/*
 * top_k.c - the k best tokens of a row, without sorting it
 *
 * A block's peak is a token, so the k best tokens are none of them below the
 * k-th best peak.  Only the blocks that reach that bound are read again, and
 * what reaches it there is little more than k tokens, which are then selected
 * from.  With k near the number of blocks or above, the bound is guessed; a
 * wrong guess costs another reading.
 */

#include "top_k.h"

#include "guess.h"
#include "select.h"

#include <float.h>

/* Few of the k best tokens share a block, so there are more of them than peaks
 * above a bound. */
static bool peaks_bound(const struct row_view *view, size_t k)
{
    return k <= view->block_count - view->block_count / 8;
}

/* The k-th best peak: no token among the k best is below it. */
static float bound_by_peaks(const struct row_view *view,
                            struct scratch *scratch, size_t k)
{
    struct token_list *list = &scratch->list;
    float low = view->m;
    size_t peaks = 0;

    for (size_t block = 0; block < view->block_count; block++) {
        float peak = view->blocks.peak[block];

        list->x[peaks] = peak;
        list->id[peaks] = (int32_t)block;
        if (peak == -INFINITY)
            continue;
        low = peak < low ? peak : low;
        peaks++;
    }
    if (k > peaks)
        return -FLT_MAX;
    return select_cut(scratch, list, peaks, low, view->m, k, NULL).x;
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

/* Gathers little more than the k best tokens, or all that are in. */
static size_t gather(const struct row_view *view, struct scratch *scratch,
                     size_t k, struct token_list *list)
{
    if (peaks_bound(view, k))
        return gather_from(view, scratch, bound_by_peaks(view, scratch, k),
                           list);

    float bound = guess_bound(view, scratch, k);
    size_t count = gather_from(view, scratch, bound, list);
    if (count < k && bound > -FLT_MAX)
        count = gather_from(view, scratch, -FLT_MAX, list);
    return count;
}

size_t gather_best(const struct row_view *view, struct scratch *scratch,
                   size_t k)
{
    struct token_list *survivors = &scratch->survivors;
    size_t count = gather(view, scratch, k, survivors);

    if (count <= k)
        return count;
    float low = view->m;
    for (size_t i = 0; i < count; i++)
        low = survivors->x[i] < low ? survivors->x[i] : low;
    struct cut cut =
        select_cut(scratch, survivors, count, low, view->m, k, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool keep = before_cut(survivors->x[i], survivors->id[i], cut);

        survivors->x[kept] = survivors->x[i];
        survivors->id[kept] = survivors->id[i];
        kept += keep;
    }
    return kept;
}

size_t rank_best(const struct row_view *view, struct scratch *scratch, size_t n,
                 struct tessera_ranked *ranked)
{
    const struct token_list *list = &scratch->list;
    size_t ranked_count = 0;

    size_t count = gather(view, scratch, n, &scratch->list);
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
