/*
 * streams.cpp - streams
 */

#include "stream_state.h"

namespace vgpu
{

Streams::Streams()
{
    for (int device = 0; device < most_devices; device++)
        legacy[device].queue = new_queue(device);
}

Streams &streams()
{
    static Streams *instance = new Streams; /* outlives every static object */
    return *instance;
}

cudaStream_t find_stream(cudaStream_t handle)
{
    if (handle == nullptr || handle == cudaStreamLegacy ||
        handle == cudaStreamPerThread)
        return &streams().legacy[current_device()];
    return streams().all.count(handle) ? handle : nullptr;
}

bool is_legacy(cudaStream_t stream)
{
    return !streams().all.count(stream);
}

int device_of(cudaStream_t handle)
{
    cudaStream_t s = find_stream(handle);
    return s ? s->queue->device : -1;
}

bool is_captured(cudaStream_t handle)
{
    cudaStream_t s = find_stream(handle);
    return s && s->capture;
}

/* The legacy stream and those that block wait for each other. */
Point enqueue(cudaStream_t s, Work work, std::vector<Point> after)
{
    int device = s->queue->device;
    if (is_legacy(s)) {
        for (cudaStream_t other : streams().all)
            if (!(other->flags & cudaStreamNonBlocking) &&
                other->queue->device == device)
                after.push_back(end_of(other->queue));
    } else if (!(s->flags & cudaStreamNonBlocking)) {
        after.push_back(end_of(streams().legacy[device].queue));
    }
    return give(s->queue, std::move(work), std::move(after));
}

cudaError_t wait_for_stream(cudaStream_t handle)
{
    cudaError_t error = wait_allowed(handle);
    if (error != cudaSuccess)
        return error;
    /* An empty piece of work has the stream's own order. */
    return wait_for(enqueue(find_stream(handle), nullptr, {}));
}

namespace
{

cudaError_t create_stream(cudaStream_t *stream, unsigned flags)
{
    if (flags & ~(unsigned)cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    *stream = new CUstream_st;
    (*stream)->flags = flags;
    (*stream)->queue = new_queue(current_device());
    streams().all.insert(*stream);
    return cudaSuccess;
}

} // namespace

} // namespace vgpu

using namespace vgpu;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return call([&] { return create_stream(stream, cudaStreamDefault); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return call([&] { return create_stream(stream, flags); });
}

/* Its work goes on. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return release_call([&] {
        if (!streams().all.erase(stream))
            return cudaErrorInvalidResourceHandle;
        if (stream->capture && stream->capture->origin == stream)
            end_capture(stream->capture);
        delete stream;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return call([&] { return wait_for_stream(stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return call([&] {
        cudaError_t error = wait_allowed(stream);
        if (error != cudaSuccess)
            return error;
        return query(end_of(find_stream(stream)->queue));
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags)
{
    return call([&] {
        cudaStream_t s = find_stream(handle);
        if (!s)
            return cudaErrorInvalidResourceHandle;
        *flags = s->flags;
        return cudaSuccess;
    });
}

/* Under capture as many drivers have it: refused, and the capture is lost. */
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device)
{
    return call([&] {
        cudaStream_t s = find_stream(handle);
        if (!s)
            return cudaErrorInvalidResourceHandle;
        if (s->capture) {
            s->capture->invalid = true;
            return cudaErrorStreamCaptureUnsupported;
        }
        *device = device_of(handle);
        return cudaSuccess;
    });
}

} // extern "C"
