/*
 * clusters.h - what the probes of clusters share: launching, and addresses
 */

#ifndef VGPU_CLUSTERS_H
#define VGPU_CLUSTERS_H

#include "check.h"

#if __CUDA_ARCH__ >= 900

__device__ inline void sync_cluster()
{
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

/* The same variable in the shared memory of the block of a rank. */
template <typename T>
__device__ T *mapped(T *variable, u32 rank)
{
    return (T *)__cluster_map_shared_rank(variable, rank);
}

#else /* the host's, never called */

__device__ void sync_cluster();

template <typename T>
__device__ T *mapped(T *variable, u32 rank);

#endif

struct Configuration {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};

    Configuration(dim3 cluster, dim3 blocks, u32 threads, size_t shared = 0)
    {
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
        config.attrs = &attribute;
        config.numAttrs = 1;
        config.gridDim = blocks;
        config.blockDim = threads;
        config.dynamicSmemBytes = shared;
    }
};

template <typename Kernel, typename... Arguments>
void launch(Kernel kernel, u32 cluster, u32 blocks, u32 threads, size_t shared,
            Arguments... arguments)
{
    Configuration c(cluster, blocks, threads, shared);
    CUDA(cudaLaunchKernelEx(&c.config, kernel, arguments...));
}

inline void expect_of(u32 size, const char *name, bool good)
{
    char text[100];
    snprintf(text, sizeof text, "%s, clusters of %u", name, size);
    expect(text, good);
}

#endif
