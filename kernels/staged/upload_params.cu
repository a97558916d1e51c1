/*
 * upload_params.cu - params from host memory to the workspace
 *
 * As arguments of a launch, not by a copy: a copy from pageable memory that is
 * captured into a graph would read the caller's array at each replay, and one
 * that is not may wait for the stream.
 */

#include "kernels.h"

namespace tessera
{

/*
 * upload_params_kernel stores its argument.
 *
 *   Launch     one block, a thread a row, up to 48: 3 KiB of the 4 KiB that
 *              every toolkit's launches take as arguments
 *   Reads      the argument, from constant memory
 *   Writes     its rows' params
 *   Barriers   none
 */
__global__ void __launch_bounds__(params_a_launch)
    upload_params_kernel(params_block block, tessera_params *params)
{
    params[threadIdx.x] = block.params[threadIdx.x];
}

cudaError_t launch_upload_params(const params_block &block,
                                 tessera_params *params, int32_t count,
                                 const queue &queue)
{
    return launch("upload_params", upload_params_kernel, dim3(1), count, queue,
                  block, params);
}

} // namespace tessera
