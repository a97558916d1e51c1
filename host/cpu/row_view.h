/*
 * row_view.h - a row of logits in blocks, its mask and edits in place
 *
 * The row stays where it is.  A block that nothing touches is read there; one
 * that is masked, edited, odd, 16-bit or cut short by the row's end is copied
 * to a buffer, which stays in the nearest cache, and put right on the way.
 */

#ifndef TESSERA_CPU_ROW_VIEW_H
#define TESSERA_CPU_ROW_VIEW_H

#include "../question.h"
#include "scratch.h"

struct row_view {
    const struct cpu_loops *loops;
    const void *logits;
    enum tessera_dtype type;
    size_t tokens;
    size_t block_count;
    const uint32_t *mask;        /* NULL: none */
    const struct edited *edited; /* NULL: none */
    struct blocks blocks;

    /* From view_find_peaks(): the best logit, -inf if no token is in; whether
     * there is a NaN. */
    float m;
    bool nan;

    /* The token that stands at each place; NULL: the place itself. */
    const int32_t *ids;
};

/* The row as the caller gave it. */
void view_raw(struct row_view *view, struct scratch *scratch,
              const struct blocks *blocks,
              const struct tessera_question *question, size_t tokens);

/* Floats of the caller's side by side, none of them odd: a list. */
void view_list(struct row_view *view, struct scratch *scratch,
               const struct token_list *list, size_t tokens);

/* Reads the row once: the peak of each block, the best logit, NaN. */
void view_find_peaks(struct row_view *view, float *buffer);

/* A block of the row, in place or in the buffer, which has room for a block.
 * Before view_find_peaks(), odd values are still as they were. */
const float *view_block(const struct row_view *view, size_t block,
                        float *buffer);

/* The token at a place of the view. */
static inline int32_t view_token(const struct row_view *view, size_t place)
{
    return view->ids ? view->ids[place] : (int32_t)place;
}

#endif
