/*
 * errors.h - errors by name
 */

#ifndef VGPU_ERRORS_H
#define VGPU_ERRORS_H

#include <cuda_runtime_api.h>

#include <string>

namespace vgpu
{

/* cudaSuccess: none that the stand-in knows has the name. */
cudaError_t error_named(const std::string &name);

} // namespace vgpu

#endif
