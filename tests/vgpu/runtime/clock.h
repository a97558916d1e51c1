/*
 * clock.h - which accesses of a block's threads are ordered
 *
 * Time counts what orders threads: the openings of barriers and the meetings
 * of __syncwarp.  An access has the time at which it was made, so one question
 * decides: has the thread that acts now heard of the other since then?  Other
 * warp collectives order nothing, as CUDA has it.
 *
 * A thread that arrives at the cluster's barrier tells of what it knows, unless
 * the arrival is relaxed, and one that has waited has heard of all that was
 * told up to that opening, by the threads of any block of the cluster.  One
 * that has ended tells too.
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

    /* At the cluster's barrier. */
    void arrived(uint32_t thread, bool release);
    void waited(uint32_t thread);

    /* How often a thread had arrived there, at a time. */
    uint32_t arrivals(uint32_t thread, uint32_t then) const;

    /* The opening of the cluster's barrier up to which a thread has heard; 0:
     * of none. */
    uint32_t heard_up_to(uint32_t thread) const
    {
        return acquired.empty() ? 0 : acquired[thread];
    }

    /* Whether what a thread did at a time was told of by an opening; whether
     * that holds for all that threads of the block did since the same barrier
     * of the block, if they had arrived as often. */
    bool told(uint32_t thread, uint32_t then, uint32_t opening) const;
    bool all_told(uint32_t thread, uint32_t then, uint32_t opening) const;

  private:
    /* Of the cluster's barrier, as far as this block goes. */
    struct Opening {
        uint32_t opened = 0; /* the block's barrier, before a thread told */
        bool some_relaxed = false;
        std::vector<bool> relaxed; /* threads; empty: none */
    };
    bool told_by_barrier(uint32_t then, uint32_t opening) const;

    uint32_t time = 0;
    uint32_t opened = 0;            /* the barrier, the last time */
    std::array<uint32_t, 32> met{}; /* a warp's lanes all, the last time */
    std::vector<std::array<uint32_t, 32>> heard; /* of each lane of its warp */

    /* Of clusters, empty before the first arrival. */
    std::vector<Opening> openings;
    std::vector<std::vector<uint32_t>> arrived_at; /* times, by thread */
    std::vector<uint32_t> acquired;                /* heard_up_to */
};

} // namespace vgpu

#endif
