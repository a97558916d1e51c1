/*
 * queue.h - work given to streams, and when it runs
 *
 * A stream's work runs in the order it was given, and after what it was told to
 * wait for.  VGPU_STREAMS says when: at the call (eager); when something waits
 * for it, and nothing that nobody waits for (lazy); or until what is waited for
 * is done, in a random order of all that may run (a seed).  Each is an order
 * that CUDA allows, so a program whose answer changes forgot to order its work.
 */

#ifndef VGPU_QUEUE_H
#define VGPU_QUEUE_H

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace vgpu
{

using Work = std::function<void()>;

struct Queue;
using SharedQueue = std::shared_ptr<Queue>;

/* Reached when the queue has done so many. */
struct Point {
    SharedQueue queue;
    uint64_t number = 0;

    bool reached() const;
};

struct Given {
    Work work; /* may be empty */
    std::vector<Point> after;
};

/* The work of a stream; it outlives the stream until it is done. */
struct Queue {
    int device = 0;
    uint64_t given = 0, done = 0;
    std::deque<Given> waiting;
};

SharedQueue new_queue(int device);

/* Gives the queue work. */
Point give(const SharedQueue &queue, Work work, std::vector<Point> after);

/* Lets the host wait.  Returns the device's error that stays. */
cudaError_t wait_for(const Point &point);

/* For all work of a device. */
cudaError_t wait_for_device(int device);

/* Where all that a queue was given is done. */
Point end_of(const SharedQueue &queue);

/* One who asks whether a point is reached and does not wait; it comes nearer */
cudaError_t query(const Point &point);

} // namespace vgpu

#endif
