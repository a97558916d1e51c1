/*
 * cluster.h - the blocks of a cluster, which run together
 *
 * All are started before any of them runs, and each goes on at its own barriers
 * and at the cluster's.  A block by itself is a cluster of one.
 *
 * A thread may touch the shared memory of another block from its first wait at
 * the cluster's barrier on, since that block may not have started before, and
 * up to a wait of that block for which it has yet to arrive, since it may have
 * ended after.  Both are faults whichever thread runs first.
 */

#ifndef VGPU_CLUSTER_H
#define VGPU_CLUSTER_H

#include "device.h"

#include <string>
#include <vector>

namespace vgpu
{

struct Block;
struct Lane;

struct Cluster {
    std::vector<Block *> blocks; /* by rank */
    unsigned alive = 0;          /* threads */

    /* The barrier: how often it opened, and who has arrived since then. */
    uint32_t openings = 0, arrived = 0;
};

/* After its blocks were started. */
void start_cluster(Cluster &cluster);

/* Whether no thread can go on, but not all have ended. */
bool is_stuck(const Cluster &cluster);

/* For reports of faults in the shared memory of another block. */
std::string describe_memory_of(const Block &block);

/* After a thread ended: it counts as arrived. */
void cluster_thread_ended(Lane &lane);

/* The functions of Runtime. */
void runtime_cluster_arrive(Thread *, const Site *, bool release);
void runtime_cluster_wait(Thread *, const Site *);
uint64_t runtime_map_rank(Thread *, const Site *, uint64_t address,
                          uint32_t rank);
unsigned char *runtime_peer(Thread *, const Site *, Access, uint64_t address,
                            uint32_t size, uint32_t used);

} // namespace vgpu

#endif
