/*
 * stream_state.h - streams, events and captures as the runtime keeps them
 */

#ifndef VGPU_STREAM_STATE_H
#define VGPU_STREAM_STATE_H

#include "state.h"
#include "streams.h"

#include <chrono>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace vgpu
{

struct Capture {
    cudaStreamCaptureMode mode;
    std::thread::id thread;
    cudaStream_t origin;
    bool invalid = false;
    std::vector<Work> work;
};

using SharedCapture = std::shared_ptr<Capture>;
using Time = std::chrono::steady_clock::time_point;

} // namespace vgpu

struct CUstream_st {
    unsigned flags = cudaStreamDefault;
    vgpu::SharedQueue queue;
    vgpu::SharedCapture capture;
    bool unjoined = false;   /* has captured work that the origin has not
                                waited for */
    unsigned long works = 0; /* captured so far */
};

struct CUevent_st {
    int device = 0;
    bool timed = true, recorded = false;

    /* Recorded in a stream: when that comes there, and then at what time. */
    vgpu::Point point;
    std::shared_ptr<vgpu::Time> time;

    /* Recorded in a capture. */
    vgpu::SharedCapture capture;
    cudaStream_t stream = nullptr;
    unsigned long works = 0; /* of the stream, when it was recorded */
};

namespace vgpu
{

struct Streams {
    CUstream_st legacy[most_devices];
    std::set<cudaStream_t> all;
    std::set<cudaEvent_t> events;
    std::vector<SharedCapture> captures; /* going on */

    Streams();
};

Streams &streams();

/* The stream of a handle, or nullptr; the legacy stream is the current
 * device's. */
cudaStream_t find_stream(cudaStream_t handle);

bool is_legacy(cudaStream_t stream);

/* Gives a stream that is not captured work, after what its kind waits for and
 * what is given besides. */
Point enqueue(cudaStream_t stream, Work work, std::vector<Point> after);

/* The legacy stream waits for streams that were not made non-blocking, so
 * while one of them is captured it may not be used. */
cudaError_t legacy_allowed();

/* Like submit(), for several. */
cudaError_t submit_all(cudaStream_t stream, const std::vector<Work> &work);

/* Ends a capture: its streams are usable again. */
void end_capture(const SharedCapture &capture);

} // namespace vgpu

#endif
