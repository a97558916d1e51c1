/*
 * filters.c - which tokens can be drawn, and how often
 *
 * Each filter keeps the first tokens of the order, so a row is filtered by
 * finding where the order is cut.  top-k turns the row into a shorter one.  The
 * threshold of min-p is a logit, found by halving.  For top-p the row is read
 * once: tokens above a band, in which the cut is guessed to lie, are summed up,
 * and those within it are gathered; the cut is then selected among those few.
 * A wrong guess costs a second reading.
 */

#include "filters.h"

#include "guess.h"
#include "top_k.h"

/* Reads what can matter: sums up the tokens with x >= band.high in each block
 * and gathers those with band.low <= x < band.high in scratch->list, as many as
 * *gathered says.  With 'all', returns the weight of all tokens. */
static uint64_t read_row(const struct kept *kept, struct scratch *scratch,
                         struct band band, bool all, size_t *gathered)
{
    const struct row_view *view = &kept->view;
    const struct weighing *weighing = &kept->weighing;
    struct token_list *list = &scratch->list;
    uint64_t total = 0;

    *gathered = 0;
    for (size_t block = 0; block < view->block_count; block++) {
        float peak = view->blocks.peak[block];
        struct block_sum above = {0, 0};
        bool weighs = peak >= band.high ||
                      (all && peak - weighing->m > weighing->scale.dmin);
        bool gathers = band.low < band.high && peak >= band.low;

        if (weighs || gathers) {
            const float *x = view_block(view, block, scratch->block);

            if (weighs && all && peak < band.high)
                total +=
                    view->loops->weigh_above(x, weighing, -INFINITY).weight;
            else if (weighs && all)
                total += view->loops->weigh(x, weighing, band.high, &above);
            else if (weighs)
                above = view->loops->weigh_above(x, weighing, band.high);
            if (gathers)
                *gathered += view->loops->collect(
                    x, band.low, band.high, (int32_t)(block * BLOCK_TOKENS),
                    list->x + *gathered, list->id + *gathered);
        }
        scratch->kept_weight[block] = above.weight;
        scratch->kept_count[block] = above.count;
    }
    return total;
}

static uint64_t sum_of(const struct scratch *scratch, size_t block_count)
{
    uint64_t sum = 0;

    for (size_t block = 0; block < block_count; block++)
        sum += scratch->kept_weight[block];
    return sum;
}

/* The weight of the tokens in scratch->list, which are filled up. */
static uint64_t weigh_list(struct scratch *scratch, size_t count,
                           const struct weighing *weighing)
{
    float *x = scratch->list.x;
    uint64_t total = 0;

    for (size_t i = 0; i < BLOCK_TOKENS; i++)
        x[count + i] = -INFINITY;
    for (size_t first = 0; first < count; first += BLOCK_TOKENS)
        total +=
            scratch->loops->weigh_above(x + first, weighing, -INFINITY).weight;
    return total;
}

/* Adds the kept tokens of scratch->list to their blocks. */
static void keep_listed(const struct kept *kept, struct scratch *scratch,
                        size_t count)
{
    for (size_t first = 0; first < count; first += BLOCK_TOKENS) {
        const float *x = scratch->list.x + first;
        const int32_t *id = scratch->list.id + first;
        size_t rest = count - first;
        size_t chunk = rest < BLOCK_TOKENS ? rest : BLOCK_TOKENS;
        size_t i = 0;

        scratch->loops->weights(x, &kept->weighing, scratch->weights);
        while (i < chunk) {
            int32_t block = id[i] / BLOCK_TOKENS;
            uint64_t weight = 0;
            int32_t number = 0;

            for (; i < chunk && id[i] / BLOCK_TOKENS == block; i++) {
                bool keep = before_cut(x[i], id[i], kept->cut);

                weight += keep ? scratch->weights[i] : 0;
                number += keep;
            }
            scratch->kept_weight[block] += weight;
            scratch->kept_count[block] += number;
        }
    }
}

/* top-p, and min-p as the lowest logit that it keeps. */
static void filter_by_share(struct kept *kept, struct scratch *scratch,
                            float top_p, float floor)
{
    const struct weighing *weighing = &kept->weighing;
    size_t block_count = kept->view.block_count;
    struct band band = guess_band(&kept->view, scratch, weighing, top_p, floor);
    size_t gathered;

    uint64_t total = read_row(kept, scratch, band, true, &gathered);
    tessera_uint128 limit = (tessera_uint128)tessera_top_p_share(top_p) * total;
    uint64_t need = (uint64_t)((limit + UINT32_MAX) >> 32);
    need = need > 0 ? need : 1; /* the first is always kept */

    uint64_t above = sum_of(scratch, block_count);
    uint64_t within = weigh_list(scratch, gathered, weighing);
    if (above >= need)
        band = (struct band){band.high, INFINITY};
    else if (above + within < need && band.low > floor)
        band = (struct band){floor, band.low};
    else
        block_count = 0;
    if (block_count > 0) {
        read_row(kept, scratch, band, false, &gathered);
        above = sum_of(scratch, block_count);
        within = weigh_list(scratch, gathered, weighing);
    }

    if (above + within < need)
        need = above + within; /* min-p cuts before */
    float high = band.high < kept->weighing.m ? band.high : kept->weighing.m;
    kept->cut = (struct cut){band.low, INT32_MAX};
    if (need > above)
        kept->cut = select_cut(scratch, &scratch->list, gathered, band.low,
                               high, need - above, weighing);
    keep_listed(kept, scratch, gathered);
}

/* What the blocks hold is what the row holds. */
static void close_kept(struct kept *kept, const struct scratch *scratch)
{
    kept->sum = sum_of(scratch, kept->view.block_count);
    for (size_t block = 0; block < kept->view.block_count; block++)
        kept->count += scratch->kept_count[block];
}

void filter_view(struct kept *kept, struct scratch *scratch,
                 const struct row_view *view,
                 const struct tessera_params *params)
{
    *kept = (struct kept){.view = *view};
    kept->weighing.m = view->m;
    if (tessera_is_greedy(params->temperature)) {
        kept->greedy = true;
        kept->count = 1;
        kept->sum = TESSERA_WEIGHT_ONE;
        return;
    }
    kept->weighing.scale = tessera_temperature(params->temperature);

    if (params->top_k > 0 && (size_t)params->top_k < view->tokens) {
        size_t survivors = gather_best(view, scratch, (size_t)params->top_k);

        view_list(&kept->view, scratch, &scratch->survivors, survivors);
        view_find_peaks(&kept->view, scratch->block);
    }

    float floor = view->loops->lightest(&kept->weighing,
                                        tessera_min_p_threshold(params->min_p));
    if (params->top_p < 1.0f) {
        filter_by_share(kept, scratch, params->top_p, floor);
    } else {
        size_t gathered;

        kept->cut = (struct cut){floor, INT32_MAX};
        read_row(kept, scratch, (struct band){floor, floor}, false, &gathered);
    }
    close_kept(kept, scratch);
}

int32_t draw_kept(const struct kept *kept, struct scratch *scratch,
                  uint64_t target, float *x)
{
    size_t block = 0;
    size_t i = 0;

    while (scratch->kept_weight[block] <= target)
        target -= scratch->kept_weight[block++];
    const float *at = view_block(&kept->view, block, scratch->block);
    kept->view.loops->weights(at, &kept->weighing, scratch->weights);
    for (;; i++) {
        int32_t place = (int32_t)(block * BLOCK_TOKENS + i);

        if (!before_cut(at[i], place, kept->cut))
            continue;
        if (scratch->weights[i] > target)
            break;
        target -= scratch->weights[i];
    }
    *x = at[i] + 0.0f; /* -0 becomes +0 */
    return view_token(&kept->view, block * BLOCK_TOKENS + i);
}

int32_t best_of(const struct row_view *view, struct scratch *scratch)
{
    size_t block = 0;
    size_t i = 0;

    while (view->blocks.peak[block] != view->m)
        block++;
    const float *x = view_block(view, block, scratch->block);
    while (x[i] != view->m)
        i++;
    return view_token(view, block * BLOCK_TOKENS + i);
}

uint64_t weigh_view(const struct row_view *view, struct scratch *scratch,
                    const struct weighing *weighing)
{
    uint64_t total = 0;

    for (size_t block = 0; block < view->block_count; block++)
        if (view->blocks.peak[block] - weighing->m > weighing->scale.dmin)
            total += view->loops
                         ->weigh_above(view_block(view, block, scratch->block),
                                       weighing, -INFINITY)
                         .weight;
    return total;
}
