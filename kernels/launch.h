/*
 * launch.h - how kernels are enqueued, by every plan
 */

#ifndef TESSERA_LAUNCH_H
#define TESSERA_LAUNCH_H

#include <tessera.h>

#include <cuda_runtime.h>

namespace tessera
{

/* Where the kernels of a call go, and who is told of them. */
struct queue {
    cudaStream_t stream;
    void (*on_launch)(void *context, const char *kernel); /* NULL: nobody */
    void *context;

    void tell(const char *kernel) const
    {
        if (on_launch)
            on_launch(context, kernel);
    }
};

/* Of a launch: a grid of blocks, 'cluster_blocks' of which along x make a
 * cluster, each with so much dynamic shared memory. */
struct launch_shape {
    dim3 blocks;
    int threads;
    int cluster_blocks;
    size_t shared_bytes;
};

/* The same as CUDA wants it; not to be copied, as it points into itself. */
struct launch_config {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster = {};

    launch_config(const launch_shape &shape, cudaStream_t stream)
    {
        config.gridDim = shape.blocks;
        config.blockDim = dim3((unsigned)shape.threads);
        config.dynamicSmemBytes = shape.shared_bytes;
        config.stream = stream;
        if (shape.cluster_blocks <= 1)
            return;
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = (unsigned)shape.cluster_blocks;
        cluster.val.clusterDim.y = 1;
        cluster.val.clusterDim.z = 1;
        config.attrs = &cluster;
        config.numAttrs = 1;
    }

    launch_config(const launch_config &) = delete;
    launch_config &operator=(const launch_config &) = delete;
};

/* As <<<>>>, with its error returned.  'name' is what the caller is told: the
 * kernel's own without its ending, "choose" of choose_kernel; it never changes.
 */
template <typename... Parameters, typename... Arguments>
cudaError_t launch(const char *name, void (*kernel)(Parameters...),
                   const launch_shape &shape, const queue &queue,
                   Arguments... arguments)
{
    launch_config launched(shape, queue.stream);
    cudaError_t error =
        cudaLaunchKernelEx(&launched.config, kernel, arguments...);
    if (error == cudaSuccess)
        queue.tell(name);
    return error;
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch(const char *name, void (*kernel)(Parameters...), dim3 blocks,
                   int threads, const queue &queue, Arguments... arguments)
{
    return launch(name, kernel, launch_shape{blocks, threads, 1, 0}, queue,
                  arguments...);
}

} // namespace tessera

#endif
