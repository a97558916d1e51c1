/*
 * block.h - the threads of a block, as fibers on one thread of the CPU
 *
 * A thread runs until it has to wait for others at a barrier or a warp
 * collective, or ends.  Which of those that can go on does so first is the
 * order of threads (settings.h); so threads race in no other way than by that
 * order, and a program whose answer depends on it lacks a barrier.  Other
 * blocks of the launch go on only where this one pauses: at its barriers.
 */

#ifndef VGPU_BLOCK_H
#define VGPU_BLOCK_H

#include "device.h"
#include "fault.h"
#include "races.h"
#include "shared.h"

#include <boost/context/detail/fcontext.hpp>

#include <memory>
#include <vector>

namespace vgpu
{

namespace context = boost::context::detail;

struct Block;
struct Cluster;

/* A thread of the block. */
struct Lane : Thread {
    context::fcontext_t context = nullptr;
    Block *of = nullptr;
    unsigned number = 0; /* in the block */
    bool done = false;

    /* What it waits for, and where. */
    bool at_barrier = false;
    bool at_cluster_barrier = false;
    Meeting meeting = Meeting::none;
    const Site *site = nullptr;

    /* At the cluster's barrier, since its start. */
    uint32_t arrivals = 0, waits = 0;

    /* Of the meeting: what it brings, and what it gets. */
    uint32_t mask = 0, argument = 0, clamp = 0;
    uint64_t value = 0;
    Met met = {0, false};
};

/* Who of a warp waits in a collective, a bit a lane, and who never will: lanes
 * that ended, and those that the block has not.  While they are alike, all wait
 * under one mask for one operation. */
struct Warp {
    uint32_t gone = 0, here = 0, mask = 0;
    Meeting meeting = Meeting::none;
    bool alike = true;
};

/* An access of the block's shared memory from another one.  Who made it has
 * arrived that often at the cluster's barrier, and arrives again after it. */
struct RemoteAccess {
    const Lane *by = nullptr;
    const Site *site = nullptr;
    uint32_t arrivals = 0, address = 0, size = 0;
};

struct Block {
    unsigned slot = 0; /* among the blocks in flight */
    Grid grid = {};
    SharedMemory shared;
    std::unique_ptr<RaceWatch> watch; /* nullptr: races are not looked for */
    unsigned threads = 0, alive = 0;
    std::vector<Lane> lanes;
    std::vector<Warp> warps;
    std::vector<uint32_t> order;                   /* numbers of the lanes */
    std::vector<std::vector<uint32_t>> warp_order; /* the same, a warp each */
    std::vector<Lane *> ready;                     /* the last runs next */

    /* The barrier that lanes arrive at. */
    unsigned arrived = 0, barrier_count = 0;
    Barrier barrier_kind = Barrier::sync;

    KernelCode code = nullptr;
    const unsigned char *parameters = nullptr;
    const uint64_t *variables = nullptr;

    Cluster *cluster = nullptr;
    uint32_t waits = 0;       /* the most of any of its threads */
    RemoteAccess last_remote; /* the one that it has to live longest for */

    Lane *current = nullptr;
    context::fcontext_t host = nullptr;
    bool pauses = false;  /* whether it does so at barriers */
    bool pausing = false; /* the next switch of threads is to the host */
    FaultReport fault;
};

/* Before the blocks of a launch: grid, code, parameters and variables of the
 * block are set.  Random orders start at 'seed'. */
void prepare_block(Block &block, uint64_t seed);

/* Makes the threads of the block of the grid that is set, at their starts. */
void start_block(Block &block);

/* Runs the threads to their ends or to a fault, or on to a pause: then it is
 * true, and must be called again when one of them is ready. */
bool run_block(Block &block);

/* Called by a lane that waits: returns when it was made ready and its turn
 * has come. */
void wait_turn(Lane &lane);

/* Makes lanes ready, so that they run in the order of threads. */
void make_all_ready(Block &block);
void make_warp_ready(Block &block, unsigned warp, uint32_t mask);
void make_cluster_ready(Block &block); /* who waits at the cluster's barrier */

/* Ends the block's run. */
[[noreturn]] void stop(Lane &lane, const FaultReport &report);

/* The functions of Runtime. */
[[noreturn]] void runtime_fault(Thread *, const Site *, Fault, uint64_t,
                                uint32_t);
uint32_t runtime_barrier(Thread *, const Site *, Barrier, bool);
Met runtime_meet(Thread *, const Site *, Meeting, uint32_t mask, uint64_t value,
                 uint32_t argument, uint32_t clamp);

/* After a thread ended: it counts as arrived. */
void barrier_thread_ended(Block &block);

} // namespace vgpu

#endif
