/*
 * guess.cuh - what guess.cu has found of a row
 */

#ifndef TESSERA_FUSED_GUESS_CUH
#define TESSERA_FUSED_GUESS_CUH

#include "../stages/order.cuh"
#include "kernels.h"

namespace tessera
{

/* Whether guess weighed the row, and did so against its largest logit: then its
 * sums are right.  Asked of a row as drawn from, once guess would have run; the
 * answer stays. */
__device__ inline bool guess_holds(const fused_view &fused,
                                   const fused_row &row)
{
    return fused.guesses && row.guessed &&
           key_of_rank(row.state.best) == key_of(row.state.maximum);
}

} // namespace tessera

#endif
