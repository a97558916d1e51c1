/*
 * guess.h - where a row will be cut
 */

#ifndef TESSERA_CPU_GUESS_H
#define TESSERA_CPU_GUESS_H

#include "row_view.h"

/* Logits with low <= x < high. */
struct band {
    float low;
    float high;
};

/* A band in which the share top_p of a row's weight is probably reached, with
 * floor <= low <= high.  Wrong guesses cost time and nothing else. */
struct band guess_band(const struct row_view *view, struct scratch *scratch,
                       const struct weighing *weighing, float top_p,
                       float floor);

/* A finite bound that probably more than the k best tokens reach. */
float guess_bound(const struct row_view *view, struct scratch *scratch,
                  size_t k);

#endif
