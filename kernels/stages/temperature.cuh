/*
 * temperature.cuh - the scale of a row, and when it is greedy
 *
 * Same contract as host/stages/temperature.c, which wins where the two differ.
 */

#ifndef TESSERA_STAGES_TEMPERATURE_CUH
#define TESSERA_STAGES_TEMPERATURE_CUH

namespace tessera
{

__device__ inline bool is_greedy(float temperature)
{
    return temperature < __uint_as_float(0x3727C5AC);
}

/* log2(e) / T, divided in binary64. */
__device__ inline float scale_of(float temperature)
{
    return __double2float_rn(
        __ddiv_rn(0x1.71547652b82fep+0, static_cast<double>(temperature)));
}

__device__ inline float lowest_distance(float c)
{
    return __fdiv_rn(-48.0f, c);
}

} // namespace tessera

#endif
