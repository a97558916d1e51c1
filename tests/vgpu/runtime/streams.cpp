/*
 * streams.cpp - streams
 */

#include "stream_state.h"

#include "state.h"

namespace vgpu
{

Streams &streams()
{
    static Streams *instance = new Streams; /* outlives every static object */
    return *instance;
}

cudaStream_t find_stream(cudaStream_t handle)
{
    if (handle == nullptr || handle == cudaStreamLegacy ||
        handle == cudaStreamPerThread)
        return &streams().legacy;
    return streams().all.count(handle) ? handle : nullptr;
}

namespace
{

cudaError_t create_stream(cudaStream_t *stream, unsigned flags)
{
    if (flags & ~(unsigned)cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    *stream = new CUstream_st;
    (*stream)->flags = flags;
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

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return call([&] {
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
    return call([&] { return wait_allowed(stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return call([&] { return wait_allowed(stream); });
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

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device)
{
    return call([&] {
        if (!find_stream(handle))
            return cudaErrorInvalidResourceHandle;
        *device = 0;
        return cudaSuccess;
    });
}

} // extern "C"
