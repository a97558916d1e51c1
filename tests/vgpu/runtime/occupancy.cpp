/*
 * occupancy.cpp - calls about how many blocks of a kernel run at once
 */

#include "chip.h"
#include "launch.h"
#include "registry.h"

#include <algorithm>

namespace vgpu
{

namespace
{

/* By threads and shared memory; registers are not known here. */
int blocks_that_fit(const Kernel &kernel, int block, size_t dynamic_shared)
{
    const Chip &c = chip();
    size_t shared = kernel.shared_bytes + dynamic_shared;
    if (block < 1 || block > (int)kernel.max_threads || block > 1024 ||
        dynamic_shared > kernel.max_dynamic_shared ||
        shared > c.shared_per_block_optin)
        return 0;
    int threads = (block + 31) / 32 * 32;
    int fit = std::min(c.threads_per_multiprocessor / threads,
                       c.blocks_per_multiprocessor);
    shared += c.reserved_shared;
    if (shared)
        fit = std::min(fit, (int)(c.shared_per_multiprocessor / shared));
    return fit;
}

cudaError_t occupancy(int *blocks, const void *function, int block,
                      size_t dynamic_shared)
{
    Kernel *kernel;
    cudaError_t error = find_kernel(function, &kernel);
    if (error == cudaSuccess)
        *blocks = blocks_that_fit(*kernel, block, dynamic_shared);
    return error;
}

/* By the multiprocessors; which of them are neighbours is not known here. */
cudaError_t clusters_that_fit(int *clusters, const void *function,
                              const cudaLaunchConfig_t &config)
{
    Launch l;
    cudaError_t error = find_kernel(function, &l.kernel);
    if (error == cudaSuccess)
        error = cluster_of(config, &l.cluster);
    if (error != cudaSuccess)
        return error;
    l.grid = config.gridDim;
    if (!cluster_fits(l))
        return cudaErrorInvalidClusterSize;
    int threads =
        (int)(config.blockDim.x * config.blockDim.y * config.blockDim.z);
    *clusters = blocks_that_fit(*l.kernel, threads, config.dynamicSmemBytes) *
                chip().multiprocessors / (int)l.cluster;
    return cudaSuccess;
}

} // namespace

} // namespace vgpu

using namespace vgpu;

extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *function,
                                                          int block,
                                                          size_t dynamic_shared)
{
    return call(
        [&] { return occupancy(blocks, function, block, dynamic_shared); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int block, size_t dynamic_shared,
    unsigned)
{
    return call(
        [&] { return occupancy(blocks, function, block, dynamic_shared); });
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config)
{
    return call([&] { return clusters_that_fit(clusters, function, *config); });
}

} // extern "C"
