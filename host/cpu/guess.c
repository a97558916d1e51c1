/*
 * guess.c - where top-p will cut a row
 *
 * A sample of each block is counted by how far below the best it lies, in
 * eighths of a halving of the weight.  The peaks of the blocks are known and
 * stand for themselves; the others for those that were not looked at.  The band
 * spans where the share is reached within three standard deviations of what
 * such a sample tells.
 */

#include "guess.h"

#include <math.h>

enum {
    BINS_A_HALVING = 16,
    BINS = 48 * BINS_A_HALVING, /* from there on weights are 0 */
    SAMPLE = 8,                 /* tokens of a block */
    LEAST_BLOCKS = 16           /* shorter rows are gathered whole */
};

struct counts {
    uint32_t peaks[BINS];
    uint32_t sample[BINS];
};

static void count_row(const struct row_view *view, struct scratch *scratch,
                      float m, float bins_a_unit, struct counts *counts)
{
    memset(counts, 0, sizeof(*counts));
    for (size_t block = 0; block < view->block_count; block++) {
        float peak = view->blocks.peak[block];
        float y = (m - peak) * bins_a_unit;

        if (!(y < BINS))
            continue;
        counts->peaks[(size_t)y]++;

        /* Elsewhere in each block, should a row repeat with its blocks. */
        const float *x = view_block(view, block, scratch->block) +
                         block * 5 % (BLOCK_TOKENS / SAMPLE) * SAMPLE;
        for (size_t i = 0; i < SAMPLE; i++) {
            y = (m - x[i]) * bins_a_unit;
            if (x[i] != peak && y < BINS)
                counts->sample[(size_t)y]++;
        }
    }
}

struct band guess_band(const struct row_view *view, struct scratch *scratch,
                       const struct weighing *weighing, float top_p,
                       float floor)
{
    struct band band = {floor, INFINITY};
    float bins_a_unit = weighing->scale.c * BINS_A_HALVING;
    struct counts counts;
    double weight[BINS]; /* of the first to each bin */
    double variance[BINS];
    double total = 0;
    double total_variance = 0;
    const double times = (double)BLOCK_TOKENS / SAMPLE;

    if (view->block_count < LEAST_BLOCKS)
        return band;
    count_row(view, scratch, weighing->m, bins_a_unit, &counts);
    double one = 1;
    for (size_t bin = 0; bin < BINS; bin++) {
        one *= 0x1.ea4afap-1; /* 2^-(1/16) */
        total += one * (counts.peaks[bin] + times * counts.sample[bin]);
        total_variance += one * one * times * times * counts.sample[bin];
        weight[bin] = total;
        variance[bin] = total_variance;
    }

    double p = (double)top_p;
    bool below = false;
    for (size_t bin = 0; bin < BINS; bin++) {
        double deviation = 3 * sqrt((1 - p) * (1 - p) * variance[bin] +
                                    p * p * (total_variance - variance[bin]));

        if (!below && weight[bin] + deviation >= p * total) {
            below = true;
            if (bin > 0)
                band.high = weighing->m - (float)bin / bins_a_unit;
        }
        if (weight[bin] - deviation >= p * total) {
            band.low = weighing->m - (float)(bin + 1) / bins_a_unit;
            break;
        }
    }
    if (band.low < floor)
        band.low = floor;
    if (!(band.high > band.low))
        band.high = INFINITY;
    return band;
}
