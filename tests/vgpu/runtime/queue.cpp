/*
 * queue.cpp - work given to streams, and when it runs
 */

#include "queue.h"

#include "settings.h"
#include "state.h"

#include <algorithm>
#include <random>

namespace vgpu
{

namespace
{

/* Those that are in use or have work. */
std::vector<SharedQueue> &queues()
{
    static auto *instance = new std::vector<SharedQueue>;
    return *instance;
}

void forget_unused()
{
    auto unused = [](const SharedQueue &q) {
        return q.use_count() == 1 && q->waiting.empty();
    };
    auto &all = queues();
    all.erase(std::remove_if(all.begin(), all.end(), unused), all.end());
}

bool may_run(const Queue &q)
{
    if (q.waiting.empty())
        return false;
    const auto &after = q.waiting.front().after;
    return std::all_of(after.begin(), after.end(),
                       [](const Point &p) { return p.reached(); });
}

/* A device that a fault broke does nothing more. */
void run_first(Queue &q)
{
    Given given = std::move(q.waiting.front());
    q.waiting.pop_front();
    if (given.work && state().broken[q.device] == cudaSuccess)
        given.work();
    q.done++;
}

/* Runs what has to run, and no more. */
void reach(const Point &point)
{
    Queue &q = *point.queue;
    while (!point.reached()) {
        std::vector<Point> after = q.waiting.front().after;
        for (const Point &p : after)
            reach(p);
        run_first(q);
    }
}

/* Points only lie in what was given before, so something may always run. */
void run_any()
{
    static std::mt19937_64 random(settings().streams.seed);
    std::vector<Queue *> able;
    for (const SharedQueue &q : queues())
        if (may_run(*q))
            able.push_back(q.get());
    run_first(*able[random() % able.size()]);
}

} // namespace

bool Point::reached() const
{
    return !queue || queue->done >= number;
}

SharedQueue new_queue(int device)
{
    forget_unused();
    queues().push_back(std::make_shared<Queue>());
    queues().back()->device = device;
    return queues().back();
}

Point give(const SharedQueue &queue, Work work, std::vector<Point> after)
{
    queue->waiting.push_back({std::move(work), std::move(after)});
    Point end = {queue, ++queue->given};
    if (settings().streams.how == Pace::eager)
        reach(end);
    return end;
}

Point end_of(const SharedQueue &queue)
{
    return {queue, queue->given};
}

cudaError_t wait_for(const Point &point)
{
    if (settings().streams.how == Pace::shuffled)
        while (!point.reached())
            run_any();
    else
        reach(point);
    return point.queue ? state().broken[point.queue->device] : cudaSuccess;
}

cudaError_t wait_for_device(int device)
{
    std::vector<SharedQueue> all = queues();
    for (const SharedQueue &q : all)
        if (q->device == device)
            wait_for(end_of(q));
    return state().broken[device];
}

cudaError_t query(const Point &point)
{
    if (point.reached())
        return point.queue ? state().broken[point.queue->device] : cudaSuccess;
    wait_for({point.queue, point.queue->done + 1});
    return cudaErrorNotReady;
}

} // namespace vgpu
