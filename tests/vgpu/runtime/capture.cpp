/*
 * capture.cpp - capture of streams, and its rules
 */

#include "stream_state.h"

#include "graphs.h"

#include <algorithm>

namespace vgpu
{

namespace
{

cudaStreamCaptureMode &thread_mode()
{
    static thread_local cudaStreamCaptureMode mode =
        cudaStreamCaptureModeGlobal;
    return mode;
}

bool unjoined(const SharedCapture &capture)
{
    for (cudaStream_t s : streams().all)
        if (s->capture == capture && s != capture->origin && s->unjoined)
            return true;
    return false;
}

} // namespace

cudaError_t legacy_allowed()
{
    for (cudaStream_t s : streams().all)
        if (s->capture && !(s->flags & cudaStreamNonBlocking)) {
            s->capture->invalid = true;
            return cudaErrorStreamCaptureImplicit;
        }
    return cudaSuccess;
}

void end_capture(const SharedCapture &capture)
{
    for (cudaStream_t s : streams().all)
        if (s->capture == capture) {
            s->capture.reset();
            s->unjoined = false;
        }
    auto &going = streams().captures;
    going.erase(std::remove(going.begin(), going.end(), capture), going.end());
}

cudaError_t submit_all(cudaStream_t handle, const std::vector<Work> &work)
{
    cudaStream_t s = find_stream(handle);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (s->capture) {
        if (s->capture->invalid)
            return cudaErrorStreamCaptureInvalidated;
        for (const Work &w : work)
            s->capture->work.push_back(w);
        s->works++;
        s->unjoined = true;
        return cudaSuccess;
    }
    if (is_legacy(s)) {
        cudaError_t error = legacy_allowed();
        if (error != cudaSuccess)
            return error;
    }
    enqueue(s,
            [work] {
                for (const Work &w : work)
                    w();
            },
            {});
    return cudaSuccess;
}

cudaError_t submit(cudaStream_t stream, Work work)
{
    return submit_all(stream, {std::move(work)});
}

cudaError_t allowed_now()
{
    cudaError_t answer = cudaSuccess;
    auto here = std::this_thread::get_id();
    for (const SharedCapture &c : streams().captures) {
        bool forbids =
            (c->mode == cudaStreamCaptureModeGlobal &&
             thread_mode() == cudaStreamCaptureModeGlobal) ||
            (c->mode != cudaStreamCaptureModeRelaxed && c->thread == here &&
             thread_mode() != cudaStreamCaptureModeRelaxed);
        if (forbids) {
            c->invalid = true;
            answer = cudaErrorStreamCaptureUnsupported;
        }
    }
    return answer;
}

cudaError_t wait_allowed(cudaStream_t handle)
{
    cudaStream_t s = find_stream(handle);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (s->capture) {
        s->capture->invalid = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    return is_legacy(s) ? legacy_allowed() : cudaSuccess;
}

} // namespace vgpu

using namespace vgpu;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle,
                                   cudaStreamCaptureMode mode)
{
    return call([&] {
        cudaStream_t s = find_stream(handle);
        if (!s)
            return cudaErrorInvalidResourceHandle;
        if (is_legacy(s))
            return cudaErrorStreamCaptureUnsupported;
        if (s->capture)
            return cudaErrorIllegalState;
        s->capture = std::make_shared<Capture>();
        s->capture->mode = mode;
        s->capture->thread = std::this_thread::get_id();
        s->capture->origin = s;
        streams().captures.push_back(s->capture);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph)
{
    return call([&] {
        cudaStream_t s = find_stream(handle);
        *graph = nullptr;
        if (!s)
            return cudaErrorInvalidResourceHandle;
        SharedCapture capture = s->capture;
        if (!capture)
            return cudaErrorIllegalState;
        if (capture->origin != s)
            return cudaErrorStreamCaptureUnmatched;
        cudaError_t error = cudaSuccess;
        if (capture->invalid)
            error = cudaErrorStreamCaptureInvalidated;
        else if (unjoined(capture))
            error = cudaErrorStreamCaptureUnjoined;
        else
            *graph = new_graph(capture->work);
        end_capture(capture);
        return error;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle,
                                  cudaStreamCaptureStatus *status)
{
    return call([&] {
        cudaStream_t s = find_stream(handle);
        if (!s)
            return cudaErrorInvalidResourceHandle;
        *status = cudaStreamCaptureStatusNone;
        if (s->capture)
            *status = s->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                          : cudaStreamCaptureStatusActive;
        return is_legacy(s) ? legacy_allowed() : cudaSuccess;
    });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode)
{
    return call([&] {
        std::swap(*mode, thread_mode());
        return cudaSuccess;
    });
}

} // extern "C"
