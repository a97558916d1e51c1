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

/* As <<<>>>, with its error returned.  'name' is what the caller is told: the
 * kernel's own without its ending, "choose" of choose_kernel; it never changes.
 */
template <typename... Parameters, typename... Arguments>
cudaError_t launch(const char *name, void (*kernel)(Parameters...), dim3 blocks,
                   int threads, const queue &queue, Arguments... arguments)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = blocks;
    config.blockDim = dim3((unsigned)threads);
    config.stream = queue.stream;
    cudaError_t error = cudaLaunchKernelEx(&config, kernel, arguments...);
    if (error == cudaSuccess)
        queue.tell(name);
    return error;
}

} // namespace tessera

#endif
