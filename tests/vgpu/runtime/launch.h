/*
 * launch.h - kernel launches: checks, and running them
 */

#ifndef VGPU_LAUNCH_H
#define VGPU_LAUNCH_H

#include "module.h"

#include <cuda_runtime_api.h>

#include <vector>

namespace vgpu
{

struct Launch {
    Kernel *kernel = nullptr;
    int device = 0;
    dim3 grid, block;
    unsigned cluster = 1; /* blocks, along x */
    size_t dynamic_shared = 0;
    std::vector<unsigned char> parameters; /* as PTX lays them out */
};

inline Dimensions dimensions(const dim3 &d)
{
    return {d.x, d.y, d.z};
}

/* Blocks of a cluster that a launch asks for; 0: it doesn't.  Overlap of
 * kernels with the one before means nothing here; a launch that asks for more
 * than that and clusters is refused. */
cudaError_t cluster_of(const cudaLaunchConfig_t &config, unsigned *blocks);

/* Whether the grid can be divided so. */
bool cluster_fits(const Launch &launch);

/* Runs all blocks.  A fault is reported on stderr and breaks the device. */
void run(const Launch &launch);

} // namespace vgpu

#endif
