/*
 * guess.c - where a row will be cut
 *
 * A sample of each block is counted by how far below the best it lies, in
 * sixteenths of a halving of the weight.  The peaks of the blocks are known and
 * stand for themselves; the others for those that were not looked at.  The band
 * spans where the share is reached within some standard deviations of what
 * such a sample tells.
 */

#include "guess.h"

#include "select.h"

#include <float.h>
#include <math.h>

enum {
    BINS_A_HALVING = 16,
    BINS = 48 * BINS_A_HALVING, /* from there on weights are 0 */
    SAMPLE = 16,                /* tokens of a block */
    LEAST_BLOCKS = 16           /* shorter rows are gathered whole */
};

struct counts {
    uint32_t peaks[BINS];
    uint32_t sample[BINS + 1]; /* the last: what does not count */
};

/* How many blocks reach a logit, counted no further than 'most'. */
static size_t blocks_from(const struct row_view *view, float low, size_t most)
{
    size_t count = 0;

    for (size_t block = 0; block < view->block_count && count <= most; block++)
        count += view->blocks.peak[block] >= low;
    return count;
}

/* SAMPLE tokens, elsewhere in each block, should a row repeat with them. */
static const float *sample_of(const struct row_view *view, size_t block,
                              float *buffer)
{
    return view_block(view, block, buffer) +
           block * 5 % (BLOCK_TOKENS / SAMPLE) * SAMPLE;
}

static void count_row(const struct row_view *view, struct scratch *scratch,
                      float m, float bins_a_unit, struct counts *counts)
{
    memset(counts, 0, sizeof(*counts));
    for (size_t block = 0; block < view->block_count; block++) {
        float peak = view->blocks.peak[block];
        float y = (m - peak) * bins_a_unit;
        int32_t bin[SAMPLE];

        if (!(y < BINS))
            continue;
        counts->peaks[(size_t)y]++;

        const float *x = sample_of(view, block, scratch->block);
        for (size_t i = 0; i < SAMPLE; i++) {
            y = (m - x[i]) * bins_a_unit;
            y = y < BINS ? y : BINS;
            bin[i] = x[i] == peak ? BINS : (int32_t)y;
        }
        for (size_t i = 0; i < SAMPLE; i++)
            counts->sample[bin[i]]++;
    }
}

/* What the sample tells of the tokens in the first bins. */
struct estimate {
    double weight; /* in units of the best token's */
    double variance;
};

/* Whether the share of the whole may be reached elsewhere than in the tokens of
 * 'part', by two and a half standard deviations. */
static bool unsure(struct estimate part, struct estimate whole, double p)
{
    double off = part.weight - p * whole.weight;
    double variance = (1 - p) * (1 - p) * part.variance +
                      p * p * (whole.variance - part.variance);

    return off * off < 6.25 * variance;
}

struct band guess_band(const struct row_view *view, struct scratch *scratch,
                       const struct weighing *weighing, float top_p,
                       float floor)
{
    float bins_a_unit = weighing->scale.c * BINS_A_HALVING;
    struct counts counts;
    struct estimate upto[BINS];
    struct estimate whole = {0, 0};
    const double times = (double)BLOCK_TOKENS / SAMPLE;
    const double p = (double)top_p;
    double one = 1;
    size_t from = 0;

    if (view->block_count < LEAST_BLOCKS)
        return (struct band){floor, INFINITY};

    /* All tokens below this together weigh less than what may be left out. */
    uint64_t light = (uint64_t)((1 - p) * 0x1p40 / (double)view->tokens);
    float low = view->loops->lightest(weighing, light > 0 ? light : 1);
    low = low > floor ? low : floor;
    if (blocks_from(view, low, view->block_count / 4) <= view->block_count / 4)
        return (struct band){low, INFINITY};

    count_row(view, scratch, weighing->m, bins_a_unit, &counts);
    for (size_t bin = 0; bin < BINS; bin++) {
        one *= 0x1.ea4afap-1; /* 2^-(1/16) */
        double weight = one * times;
        whole.weight += one * counts.peaks[bin] + weight * counts.sample[bin];
        whole.variance += weight * weight * counts.sample[bin];
        upto[bin] = whole;
    }
    while (upto[from].weight < p * whole.weight)
        from++;
    size_t to = from;
    while (from > 0 && unsure(upto[from - 1], whole, p))
        from--;
    while (to < BINS - 1 && unsure(upto[to], whole, p))
        to++;

    /* The bins from .. to, and nothing below floor. */
    struct band band = {
        .low = weighing->m - (float)(to + 1) / bins_a_unit,
        .high = from > 0 ? weighing->m - (float)from / bins_a_unit : INFINITY,
    };
    band.low = band.low > floor ? band.low : floor;
    band.high = band.high > floor ? band.high : floor;
    return band;
}

float guess_bound(const struct row_view *view, struct scratch *scratch,
                  size_t k)
{
    struct token_list *list = &scratch->list;
    float low = view->m;
    size_t count = 0;

    if (view->block_count < LEAST_BLOCKS)
        return -FLT_MAX;
    for (size_t block = 0; block < view->block_count; block++) {
        const float *x = sample_of(view, block, scratch->block);

        for (size_t i = 0; i < SAMPLE; i++) {
            list->x[count] = x[i];
            list->id[count] = (int32_t)count;
            if (x[i] == -INFINITY)
                continue;
            low = x[i] < low ? x[i] : low;
            count++;
        }
    }

    /* As many of the sample as the k best have in it, and what chance adds. */
    double share = (double)k * SAMPLE / BLOCK_TOKENS;
    size_t need = (size_t)(share + 4 * sqrt(share) + 4);
    if (need > count)
        return -FLT_MAX;
    return select_cut(scratch, list, count, low, view->m, need, NULL).x;
}
