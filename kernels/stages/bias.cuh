/*
 * bias.cuh - add a bias to a logit
 *
 * Same contract as host/stages/bias.c, which wins where the two differ.
 */

#ifndef TESSERA_STAGES_BIAS_CUH
#define TESSERA_STAGES_BIAS_CUH

#include <cuda/std/limits>

namespace tessera
{

/* A bias of 0 changes no more than the sign of a zero, which the order does not
 * see. */
__device__ inline float biased(float x, float bias)
{
    constexpr float infinity = cuda::std::numeric_limits<float>::infinity();
    return bias == -infinity ? -infinity : __fadd_rn(x, bias);
}

} // namespace tessera

#endif
