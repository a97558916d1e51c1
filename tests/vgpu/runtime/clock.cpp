/*
 * clock.cpp - which accesses of a block's threads are ordered
 */

#include "clock.h"

#include <algorithm>

namespace vgpu
{

namespace
{

void join_acquired(uint32_t *lanes, uint32_t mask)
{
    uint32_t joined = 0;
    for (unsigned i = 0; i < 32; i++)
        if (mask >> i & 1)
            joined = std::max(joined, lanes[i]);
    for (unsigned i = 0; i < 32; i++)
        if (mask >> i & 1)
            lanes[i] = joined;
}

} // namespace

void Clock::start(unsigned threads)
{
    time = opened = 1;
    met.fill(0);
    heard.assign((threads + 31) / 32 * 32, {});
    openings.clear();
    arrived_at.clear();
    acquired.clear();
}

void Clock::barrier_opened()
{
    opened = ++time;
    if (!acquired.empty())
        std::fill(acquired.begin(), acquired.end(),
                  *std::max_element(acquired.begin(), acquired.end()));
}

void Clock::warp_met(unsigned warp, uint32_t mask)
{
    time++;
    if (!acquired.empty())
        join_acquired(&acquired[warp * 32], mask);
    if (mask == 0xffffffff) {
        met[warp] = time;
        return;
    }
    /* Whoever one of them has heard of, all have now. */
    std::array<uint32_t, 32> *lanes = &heard[warp * 32], joined = {};
    for (unsigned i = 0; i < 32; i++)
        for (unsigned of = 0; mask >> i & 1 && of < 32; of++)
            joined[of] = std::max(joined[of], lanes[i][of]);
    for (unsigned i = 0; i < 32; i++)
        if (mask >> i & 1)
            joined[i] = time;
    for (unsigned i = 0; i < 32; i++)
        if (mask >> i & 1)
            lanes[i] = joined;
}

bool Clock::before(uint32_t thread, uint32_t then, uint32_t another) const
{
    if (thread == another || then < opened)
        return true;
    unsigned warp = thread / 32;
    return warp == another / 32 &&
           (then < met[warp] || then < heard[another][thread % 32]);
}

void Clock::arrived(uint32_t thread, bool release)
{
    if (arrived_at.empty()) {
        arrived_at.resize(heard.size());
        acquired.resize(heard.size());
    }
    std::vector<uint32_t> &times = arrived_at[thread];
    times.push_back(++time);
    if (openings.size() < times.size()) {
        openings.push_back({});
        if (openings.size() > 1)
            openings.back().opened = openings[openings.size() - 2].opened;
    }
    Opening &opening = openings[times.size() - 1];
    if (release) {
        opening.opened = opened;
        return;
    }
    opening.some_relaxed = true;
    opening.relaxed.resize(heard.size());
    opening.relaxed[thread] = true;
}

void Clock::waited(uint32_t thread)
{
    uint32_t arrivals = (uint32_t)arrived_at[thread].size();
    acquired[thread] = std::max(acquired[thread], arrivals);
}

uint32_t Clock::arrivals(uint32_t thread, uint32_t then) const
{
    if (arrived_at.empty())
        return 0;
    const std::vector<uint32_t> &times = arrived_at[thread];
    size_t count = times.size();
    while (count > 0 && times[count - 1] > then)
        count--;
    return (uint32_t)count;
}

bool Clock::told(uint32_t thread, uint32_t then, uint32_t opening) const
{
    for (uint32_t i = arrivals(thread, then); i < opening; i++)
        if (i >= openings.size() || !openings[i].some_relaxed ||
            !openings[i].relaxed[thread])
            return true;
    return told_by_barrier(then, opening);
}

bool Clock::all_told(uint32_t thread, uint32_t then, uint32_t opening) const
{
    for (uint32_t i = arrivals(thread, then); i < opening; i++)
        if (i >= openings.size() || !openings[i].some_relaxed)
            return true;
    return told_by_barrier(then, opening);
}

bool Clock::told_by_barrier(uint32_t then, uint32_t opening) const
{
    size_t last = std::min<size_t>(opening, openings.size());
    return last > 0 && then < openings[last - 1].opened;
}

} // namespace vgpu
