/*
 * draw.c - draw one of the kept tokens, each as often as its weight says
 *
 * The random 64 bits are scaled to a target in [0, sum); the tokens, in the
 * order of their ids, lie side by side with their weights as widths, and the
 * one that holds the target is drawn.  In id order and not by rank, so that a
 * row need not be sorted to draw from it.
 */

#include "stages.h"

#include "../philox.h"

uint64_t tessera_random(uint64_t seed, uint64_t stream, uint64_t step)
{
    struct tessera_philox_words out = tessera_philox(seed, stream, step);

    return (uint64_t)out.word[0] << 32 | out.word[1];
}

uint64_t tessera_draw_target(uint64_t random, uint64_t sum)
{
    return (uint64_t)((tessera_uint128)random * sum >> 64);
}

void tessera_lay_out(struct tessera_row *row)
{
    for (size_t token = 0; token < (size_t)row->vocab; token++)
        row->weight_up_to[token] = 0;
    for (size_t i = 0; i < row->kept; i++)
        row->weight_up_to[row->ranked[i].token] = row->ranked[i].weight;
    for (size_t token = 1; token < (size_t)row->vocab; token++)
        row->weight_up_to[token] += row->weight_up_to[token - 1];
}

int32_t tessera_draw(const struct tessera_row *row, uint64_t target)
{
    /* The smallest id whose sum exceeds the target; the last one's does. */
    int32_t low = 0;
    int32_t high = row->vocab - 1;

    while (low < high) {
        int32_t middle = low + (high - low) / 2;

        if (row->weight_up_to[middle] > target)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
