/*
 * streams.h - streams and capture
 *
 * Work given to a stream joins its queue; a stream under capture keeps it for
 * the graph.  The rules of capture are CUDA's: a call that may not be captured
 * fails, and ends the capture with an error.
 */

#ifndef VGPU_STREAMS_H
#define VGPU_STREAMS_H

#include "queue.h"

namespace vgpu
{

/* Gives the stream work, or keeps it if the stream is being captured. */
cudaError_t submit(cudaStream_t stream, Work work);

/* Waits for all that the stream was given. */
cudaError_t wait_for_stream(cudaStream_t stream);

bool is_captured(cudaStream_t stream);

/* The device of a stream; -1: there is no such stream. */
int device_of(cudaStream_t stream);

/* Call first in anything that waits for the whole device or allocates:
 * refused while a capture forbids it. */
cudaError_t allowed_now();

/* The same for waiting for one stream. */
cudaError_t wait_allowed(cudaStream_t stream);

} // namespace vgpu

#endif
