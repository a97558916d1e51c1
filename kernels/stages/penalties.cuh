/*
 * penalties.cuh - penalise a token that occurred in the window
 *
 * Same contract as host/stages/penalties.c, which wins where the two differ.
 */

#ifndef TESSERA_STAGES_PENALTIES_CUH
#define TESSERA_STAGES_PENALTIES_CUH

#include <tessera.h>

namespace tessera
{

/* seen: the token occurs in the window; count: as often as frequency and
 * presence count it. */
__device__ inline float penalised(float x, bool seen, uint32_t count,
                                  const tessera_params &params)
{
    if (seen)
        x = x > 0.0f ? __fdiv_rn(x, params.repetition_penalty)
                     : __fmul_rn(x, params.repetition_penalty);
    if (count > 0) {
        x = __fsub_rn(
            x, __fmul_rn(params.frequency_penalty, __uint2float_rn(count)));
        x = __fsub_rn(x, params.presence_penalty);
    }
    return x;
}

} // namespace tessera

#endif
