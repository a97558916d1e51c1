/*
 * launch_typed.h - launches of kernels that have the type of the logits
 */

#ifndef TESSERA_LAUNCH_TYPED_H
#define TESSERA_LAUNCH_TYPED_H

#include "launch.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace tessera
{

/* Calls launch(logit) with a value of the type, and gives what it returns. */
template <typename Launch>
cudaError_t launch_typed(tessera_dtype type, Launch launch)
{
    switch (type) {
    case TESSERA_FLOAT16:
        return launch(__half());
    case TESSERA_BFLOAT16:
        return launch(__nv_bfloat16());
    default:
        return launch(0.0f);
    }
}

} // namespace tessera

#endif
