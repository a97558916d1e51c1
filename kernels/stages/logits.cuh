/*
 * logits.cuh - widen logits to binary32, exactly
 *
 * Same contract as host/stages/logits.c, which wins where the two differ.
 */

#ifndef TESSERA_STAGES_LOGITS_CUH
#define TESSERA_STAGES_LOGITS_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera.h>

namespace tessera
{

__device__ inline float widen(float logit)
{
    return logit;
}

__device__ inline float widen(__half logit)
{
    return __half2float(logit);
}

__device__ inline float widen(__nv_bfloat16 logit)
{
    return __uint_as_float((uint32_t)__bfloat16_as_ushort(logit) << 16);
}

/* One logit of a row of any type. */
__device__ inline float widen_at(const void *logits, tessera_dtype type,
                                 int32_t token)
{
    switch (type) {
    case TESSERA_FLOAT16:
        return widen(static_cast<const __half *>(logits)[token]);
    case TESSERA_BFLOAT16:
        return widen(static_cast<const __nv_bfloat16 *>(logits)[token]);
    default:
        return static_cast<const float *>(logits)[token];
    }
}

/* As many logits as one 16-byte load brings. */
template <typename T>
struct alignas(16) logits_vector {
    static constexpr int size = 16 / sizeof(T);
    T logit[size];
};

} // namespace tessera

#endif
