/*
 * streams.h - streams and capture
 *
 * Work given to a stream runs at the call, which is a correct order; a stream
 * under capture keeps it for the graph.  The rules of capture are CUDA's: a
 * call that may not be captured fails, and ends the capture with an error.
 */

#ifndef VGPU_STREAMS_H
#define VGPU_STREAMS_H

#include <cuda_runtime_api.h>

#include <functional>

namespace vgpu
{

using Work = std::function<void()>;

/* Runs the work, or keeps it if the stream is being captured. */
cudaError_t submit(cudaStream_t stream, Work work);

/* Call first in anything that waits for the whole device or allocates:
 * refused while a capture forbids it. */
cudaError_t allowed_now();

/* The same for waiting for one stream. */
cudaError_t wait_allowed(cudaStream_t stream);

} // namespace vgpu

#endif
