/*
 * registry.h - kernels and variables by what host code knows them by
 */

#ifndef VGPU_REGISTRY_H
#define VGPU_REGISTRY_H

#include "module.h"

#include <cuda_runtime_api.h>

namespace vgpu
{

/* handle: the address of the host's stub, or a cudaKernel_t. */
cudaError_t find_kernel(const void *handle, Kernel **kernel);

/* Also compiles it. */
cudaError_t find_code(const void *handle, Kernel **kernel);

/* symbol: the host's shadow of a __device__ or __constant__ variable. */
cudaError_t find_variable(const void *symbol, Variable *variable);

} // namespace vgpu

#endif
