/*
 * clock.h - which accesses of a block's threads are ordered
 *
 * Time counts what orders threads: the openings of barriers and the meetings
 * of __syncwarp.  An access has the time at which it was made, so one question
 * decides: has the thread that acts now heard of the other since then?  Other
 * warp collectives order nothing, as CUDA has it.
 */

#ifndef VGPU_CLOCK_H
#define VGPU_CLOCK_H

#include <array>
#include <cstdint>
#include <vector>

namespace vgpu
{

class Clock
{
  public:
    /* A block's start; threads are numbered in the block. */
    void start(unsigned threads);

    void barrier_opened();
    void warp_met(unsigned warp, uint32_t mask);

    uint32_t now() const
    {
        return time;
    }

    /* Whether all that the block did at a time comes before all that it does
     * now. */
    bool all_before(uint32_t then) const
    {
        return then < opened;
    }

    /* Whether what a thread of the block did at a time comes before what
     * another one does now. */
    bool before(uint32_t thread, uint32_t then, uint32_t another) const;

  private:
    uint32_t time = 0;
    uint32_t opened = 0;            /* the barrier, the last time */
    std::array<uint32_t, 32> met{}; /* a warp's lanes all, the last time */
    std::vector<std::array<uint32_t, 32>> heard; /* of each lane of its warp */
};

} // namespace vgpu

#endif
