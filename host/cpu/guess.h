/*
 * guess.h - where top-p will cut a row
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
 * floor <= low < high.  Wrong guesses cost time and nothing else. */
struct band guess_band(const struct row_view *view, struct scratch *scratch,
                       const struct weighing *weighing, float top_p,
                       float floor);

#endif
