/*
 * shadow.h - who touched each word of a memory, to find races
 *
 * Two accesses of the same bytes by two threads, one of them a write, race
 * unless a barrier or a __syncwarp orders them (clock.h).  Nothing orders the
 * clusters of a launch (a block by itself is one): they meet only in atomics
 * that give the same result in any order, and whose old value nobody uses; so
 * any two of those agree, as do loads, and as do all atomics of one cluster.
 *
 * What is kept of a word is enough to find a race with one of all accesses so
 * far, whichever they were: the last write, which comes after all before it,
 * and of each kind of other accesses since then two that no later access can
 * come after at once, or those of the lanes of a warp.  In a cluster that is
 * kept for each block, and there for those who had arrived as often at the
 * cluster's barrier: a later access comes after two warps of these only if a
 * barrier brings it after all of them.
 */

#ifndef VGPU_SHADOW_H
#define VGPU_SHADOW_H

#include "clock.h"
#include "device.h"

#include <array>
#include <cstddef>
#include <vector>

namespace vgpu
{

/* An access: by whom, when, at which instruction. */
struct Event {
    const Site *site = nullptr; /* nullptr: none */
    uint32_t thread = 0;        /* in the launch, blocks padded to warps */
    uint32_t time = 0;
};

/* The blocks of a cluster, by rank. */
struct ClusterClocks {
    std::array<const Clock *, most_in_cluster> clocks = {};
    uint32_t first_thread = 0, threads = 0;
};

/* The thread that acts. */
struct Actor {
    const Clock &clock; /* of its block */
    uint32_t thread;    /* as in Event, and of its block the first */
    uint32_t first_thread;
    uint32_t block_threads;     /* of a block, padded to warps */
    const ClusterClocks &peers; /* of its cluster */
    uint32_t heard_up_to;       /* clock.heard_up_to() of the thread */

    bool same_block(const Event &e) const
    {
        return e.thread - first_thread < block_threads;
    }
    bool same_warp(const Event &e) const
    {
        return e.thread / 32 == thread / 32;
    }
    bool same_cluster(const Event &e) const
    {
        return e.thread - peers.first_thread < peers.threads;
    }
    /* Whether an access comes before what the thread does now; whether it does
     * with all that its block did since the same barrier of the block, by
     * threads that had arrived as often at the cluster's. */
    bool after(const Event &e) const
    {
        if (same_block(e) && clock.before(e.thread - first_thread, e.time,
                                          thread - first_thread))
            return true;
        return heard_up_to && same_cluster(e) &&
               clock_of(e).told(in_block(e), e.time, heard_up_to);
    }
    bool all_after(const Event &e) const
    {
        if (same_block(e) && clock.all_before(e.time))
            return true;
        return heard_up_to && same_cluster(e) &&
               clock_of(e).all_told(in_block(e), e.time, heard_up_to);
    }
    /* Whether an access of the same block was made by a thread that had arrived
     * as often at the cluster's barrier as the one that acts has now. */
    bool arrived_as(const Event &e) const
    {
        return clock.arrivals(e.thread - first_thread, e.time) ==
               clock.arrivals(thread - first_thread, clock.now());
    }

  private:
    const Clock &clock_of(const Event &e) const
    {
        return *peers.clocks[(e.thread - peers.first_thread) / block_threads];
    }
    uint32_t in_block(const Event &e) const
    {
        return (e.thread - peers.first_thread) % block_threads;
    }
};

/* What it raced with. */
struct Race {
    Event other;
    Access access;
};

/* The words of device memory, or of a block's shared memory. */
class Shadow
{
  public:
    /* Room for words of that many bytes of memory; none of it is used yet. */
    explicit Shadow(size_t bytes);
    ~Shadow();
    Shadow(const Shadow &) = delete;

    /* Forgets all accesses. */
    void restart();

    /* Gives back the room of a range. */
    void discard(size_t offset, size_t size);

    /* Keeps an access of up to 16 bytes from an offset on, those whose bits
     * are set; true if it races. */
    bool touch(const Actor &actor, const Site *site, Access access,
               size_t offset, uint32_t bytes, Race *race);

  private:
    /* Accesses of a kind since the last write, which agree with each other. */
    struct Kind {
        Event first;
        Event second;       /* of another cluster, or else of another warp */
        uint32_t lanes = 0; /* of the first's warp: index, 0: the first only */
        uint32_t next = 0;  /* index, 0: the last */
        Access access = Access::load;
    };
    struct Word {
        Event write;
        uint32_t kinds = 0;   /* index of the first, 0: none */
        uint32_t bytes = 0;   /* index of a Word a byte, 0: not divided */
        uint32_t current = 0; /* else all else is out of date */
    };

    bool touch_word(const Actor &actor, const Event &now, Access access,
                    Word &word, Race *race);
    bool clashes(const Actor &actor, Access access, const Kind &kind,
                 Event *other) const;
    bool belongs(const Actor &actor, const Kind &kind) const;
    void keep(const Actor &actor, const Event &now, Kind &kind);
    uint32_t new_lanes();
    void drop_lanes(Kind &kind);
    uint32_t divided(const Word &word);

    Word *words;
    size_t room; /* bytes of the words */
    uint32_t current = 0;

    /* What the indices mean. */
    std::vector<Kind> kinds;
    std::vector<std::array<Event, 32>> lanes;
    std::vector<std::array<Word, 4>> bytes;
    std::vector<uint32_t> spare_lanes;
};

} // namespace vgpu

#endif
