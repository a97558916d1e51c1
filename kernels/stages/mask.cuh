/*
 * mask.cuh - which tokens of a mask are allowed
 *
 * Same contract as host/stages/mask.c, which wins where the two differ.
 */

#ifndef TESSERA_STAGES_MASK_CUH
#define TESSERA_STAGES_MASK_CUH

#include <cstdint>

namespace tessera
{

/* Bits 0 .. Count - 1 are those of 'token' and after in a set of bits; token is
 * a multiple of Count, a power of two up to 32. */
template <int Count>
__device__ inline uint32_t bits_at(const uint32_t *words, int32_t token)
{
    constexpr uint32_t all = Count == 32 ? 0xffffffffu : (1u << Count) - 1;
    return words[token / 32] >> (token % 32) & all;
}

/* The same of an allowed mask; NULL allows everything. */
template <int Count>
__device__ inline uint32_t allowed_at(const uint32_t *mask, int32_t token)
{
    constexpr uint32_t all = Count == 32 ? 0xffffffffu : (1u << Count) - 1;
    return mask ? bits_at<Count>(mask, token) : all;
}

} // namespace tessera

#endif
