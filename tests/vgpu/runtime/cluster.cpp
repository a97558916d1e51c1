/*
 * cluster.cpp - the blocks of a cluster, which run together
 */

#include "cluster.h"

#include "block.h"

#include <algorithm>
#include <cstring>

namespace vgpu
{

namespace
{

/* By a thread of a block of it. */
void open(Cluster &cluster, Block &current)
{
    cluster.openings++;
    cluster.arrived = 0;
    for (Block *block : cluster.blocks)
        make_cluster_ready(*block);
    current.pausing = current.pauses;
}

void fault(Lane &lane, const Site *site, Fault what)
{
    stop(lane, describe_fault(lane, site, what, 0, 0, ""));
}

/* Ends the run of a block where one that others still use has ended. */
void check_last_remote(Lane &lane)
{
    const Block &block = *lane.of;
    const RemoteAccess &last = block.last_remote;
    if (last.by && block.waits <= last.arrivals)
        stop(lane, describe_fault(*last.by, last.site, Fault::cluster_ended,
                                  last.address, last.size,
                                  describe_memory_of(block)));
}

/* Where an access may not be made, the fault that it is. */
bool may_touch(const Lane &lane, const Block &block, Access access,
               uint32_t address, uint32_t size, uint32_t used, Fault *what)
{
    const uint8_t *state = block.shared.state.get();
    uint8_t outside = 0;
    *what = Fault::misaligned;
    if (address % size != 0)
        return false;
    *what = Fault::shared_bounds;
    for (unsigned i = 0; i < size; i++)
        outside |= address + i < shared_limit ? state[address + i]
                                              : (uint8_t)shared_outside;
    if (outside & shared_outside)
        return false;
    *what = Fault::cluster_not_started;
    if (lane.waits == 0)
        return false;
    *what = Fault::cluster_ended;
    if (block.alive == 0)
        return false;
    *what = Fault::shared_unwritten;
    for (unsigned i = 0; access != Access::store && i < size; i++)
        if (used >> i & 1 && !(state[address + i] & shared_written))
            return false;
    return true;
}

} // namespace

void start_cluster(Cluster &cluster)
{
    cluster.openings = cluster.arrived = cluster.alive = 0;
    for (const Block *block : cluster.blocks)
        cluster.alive += block->alive;
    races_start_cluster(cluster);
}

bool is_stuck(const Cluster &cluster)
{
    return cluster.alive &&
           std::all_of(cluster.blocks.begin(), cluster.blocks.end(),
                       [](const Block *block) { return block->ready.empty(); });
}

std::string describe_memory_of(const Block &block)
{
    return "in shared memory of block " + describe(block.grid.block) +
           ", rank " + std::to_string(block.grid.cluster_rank) +
           " of the cluster";
}

void cluster_thread_ended(Lane &lane)
{
    Cluster &cluster = *lane.of->cluster;
    if (lane.arrivals != lane.waits)
        fault(lane, lane.site, Fault::cluster_not_waited);
    if (lane.of->alive == 0)
        check_last_remote(lane);
    cluster.alive--;
    if (cluster.arrived && cluster.arrived == cluster.alive)
        open(cluster, *lane.of);
}

void runtime_cluster_arrive(Thread *t, const Site *site, bool release)
{
    Lane &lane = *static_cast<Lane *>(t);
    Cluster &cluster = *lane.of->cluster;
    lane.site = site;
    if (lane.arrivals != lane.waits)
        fault(lane, site, Fault::cluster_arrived_twice);
    lane.arrivals++;
    if (lane.of->watch)
        lane.of->watch->clock.arrived(lane.number, release);
    if (++cluster.arrived == cluster.alive)
        open(cluster, *lane.of);
}

void runtime_cluster_wait(Thread *t, const Site *site)
{
    Lane &lane = *static_cast<Lane *>(t);
    Block &block = *lane.of;
    lane.site = site;
    if (lane.arrivals == lane.waits)
        fault(lane, site, Fault::cluster_not_arrived);
    if (block.cluster->openings < lane.arrivals) {
        lane.at_cluster_barrier = true;
        wait_turn(lane);
    }
    lane.waits++;
    if (block.watch)
        block.watch->clock.waited(lane.number);
    block.waits = std::max(block.waits, lane.waits);
}

uint64_t runtime_map_rank(Thread *t, const Site *site, uint64_t address,
                          uint32_t rank)
{
    Lane &lane = *static_cast<Lane *>(t);
    const Grid &grid = *lane.grid;
    if (address - shared_window >= shared_limit)
        runtime_fault(t, site, Fault::cluster_address, address, 0);
    if (rank >= grid.cluster_size)
        runtime_fault(t, site, Fault::cluster_rank, rank, grid.cluster_size);
    if (rank == grid.cluster_rank)
        return address;
    return address - shared_window + cluster_window +
           (uint64_t)rank * shared_limit;
}

unsigned char *runtime_peer(Thread *t, const Site *site, Access access,
                            uint64_t generic, uint32_t size, uint32_t used)
{
    Lane &lane = *static_cast<Lane *>(t);
    Cluster &cluster = *lane.of->cluster;
    uint32_t rank = (uint32_t)((generic - cluster_window) / shared_limit);
    uint32_t address = (uint32_t)((generic - cluster_window) % shared_limit);
    if (rank >= cluster.blocks.size())
        runtime_fault(t, site, Fault::cluster_rank, rank,
                      (uint32_t)cluster.blocks.size());
    Block &block = *cluster.blocks[rank];
    Fault what;
    if (!may_touch(lane, block, access, address, size, used, &what))
        stop(lane, describe_fault(lane, site, what, address, size,
                                  describe_memory_of(block)));
    if (block.watch)
        races_touch_peer(lane, site, access, block, address, used);
    if (access == Access::store)
        memset(block.shared.state.get() + address, shared_written, size);
    RemoteAccess &last = block.last_remote;
    if (!last.by || last.arrivals < lane.arrivals)
        last = {&lane, site, lane.arrivals, address, size};
    return block.shared.bytes + address;
}

} // namespace vgpu
