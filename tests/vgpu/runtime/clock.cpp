/*
 * clock.cpp - which accesses of a block's threads are ordered
 */

#include "clock.h"

#include <algorithm>

namespace vgpu
{

void Clock::start(unsigned threads)
{
    time = opened = 1;
    met.fill(0);
    heard.assign((threads + 31) / 32 * 32, {});
}

void Clock::barrier_opened()
{
    opened = ++time;
}

void Clock::warp_met(unsigned warp, uint32_t mask)
{
    time++;
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

} // namespace vgpu
