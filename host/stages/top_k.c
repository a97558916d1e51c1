/*
 * top_k.c - keep the k best tokens
 *
 * Exactly k: among equal logits the lower ids stay.  0 and -1 are off, as is
 * a k of no fewer tokens than are in.
 */

#include "stages.h"

void tessera_top_k(struct tessera_row *row, int32_t k)
{
    if (k > 0 && (size_t)k < row->kept)
        row->kept = (size_t)k;
}
