/*
 * events.cpp - events
 */

#include "stream_state.h"

namespace vgpu
{

namespace
{

cudaError_t record(cudaEvent_t event, cudaStream_t handle)
{
    cudaStream_t s = find_stream(handle);
    if (!s || !streams().events.count(event) ||
        event->device != s->queue->device)
        return cudaErrorInvalidResourceHandle;
    if (s->capture && s->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (is_legacy(s)) {
        cudaError_t error = legacy_allowed();
        if (error != cudaSuccess)
            return error;
    }
    event->capture = s->capture;
    event->stream = s;
    event->works = s->works;
    event->recorded = true;
    if (s->capture)
        return cudaSuccess;
    auto time = std::make_shared<Time>();
    event->time = time;
    event->point =
        enqueue(s, [time] { *time = std::chrono::steady_clock::now(); }, {});
    return cudaSuccess;
}

/* Waiting for captured work brings a stream into the capture. */
cudaError_t let_wait(cudaStream_t handle, cudaEvent_t event)
{
    cudaStream_t s = find_stream(handle);
    if (!s || !streams().events.count(event))
        return cudaErrorInvalidResourceHandle;
    if (!event->capture) {
        if (s->capture)
            return cudaErrorStreamCaptureIsolation;
        if (event->recorded)
            enqueue(s, nullptr, {event->point});
        return cudaSuccess;
    }
    if (event->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (is_legacy(s))
        return cudaErrorStreamCaptureImplicit;
    if (s->capture && s->capture != event->capture)
        return cudaErrorStreamCaptureMerge;
    if (!s->capture) {
        s->capture = event->capture;
        s->unjoined = true;
    }
    if (event->stream != s && event->stream->works == event->works)
        event->stream->unjoined = false;
    return cudaSuccess;
}

cudaError_t event_usable(cudaEvent_t event)
{
    if (!streams().events.count(event))
        return cudaErrorInvalidResourceHandle;
    return event->capture ? cudaErrorCapturedEvent : cudaSuccess;
}

cudaError_t create_event(cudaEvent_t *event, unsigned flags)
{
    *event = new CUevent_st;
    (*event)->device = current_device();
    (*event)->timed = !(flags & cudaEventDisableTiming);
    streams().events.insert(*event);
    return cudaSuccess;
}

} // namespace

} // namespace vgpu

using namespace vgpu;

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return call([&] { return create_event(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return call([&] { return create_event(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return release_call([&] {
        if (!streams().events.erase(event))
            return cudaErrorInvalidResourceHandle;
        delete event;
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return call([&] { return record(event, stream); });
}

/* An event that was never recorded is as one that was reached. */
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return call([&] {
        cudaError_t error = event_usable(event);
        return error != cudaSuccess ? error : query(event->point);
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return call([&] {
        cudaError_t error = event_usable(event);
        return error != cudaSuccess ? error : wait_for(event->point);
    });
}

/* The time of the CPU that plays the GPU. */
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return call([&] {
        for (cudaEvent_t event : {start, end}) {
            cudaError_t error = event_usable(event);
            if (error != cudaSuccess)
                return error;
            if (!event->recorded || !event->timed)
                return cudaErrorInvalidResourceHandle;
            if (!event->point.reached())
                return cudaErrorNotReady;
        }
        std::chrono::duration<float, std::milli> elapsed =
            *end->time - *start->time;
        *ms = elapsed.count();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned)
{
    return call([&] { return let_wait(stream, event); });
}

} // extern "C"
