/*
 * races.cpp - races of a kernel's threads, looked for while it runs
 */

#include "races.h"

#include "arena.h"
#include "block.h"
#include "cluster.h"
#include "settings.h"

namespace vgpu
{

namespace
{

Shadow &global_shadow()
{
    static auto *instance = new Shadow(arena_view(0).size * most_devices);
    return *instance;
}

const char *words(Access access)
{
    switch (access) {
    case Access::load:
        return "read";
    case Access::constant_load:
        return "read as a constant";
    case Access::store:
        return "written";
    default:
        return "updated by an atomic";
    }
}

std::string described(const Race &race, Access access, const Lane &lane)
{
    const RaceWatch &watch = *lane.of->watch;
    const Dimensions &d = lane.grid->block_dim, &g = lane.grid->grid_dim;
    uint32_t block = race.other.thread / watch.block_threads;
    uint32_t thread = race.other.thread % watch.block_threads;
    const char *order = "";
    if (block == watch.first_thread / watch.block_threads)
        order = " with no barrier or __syncwarp between";
    else if (block * watch.block_threads - watch.peers.first_thread <
             watch.peers.threads)
        order = " with no barrier of the cluster between";
    return std::string(words(race.access)) + " by thread " +
           describe({thread % d.x, thread / d.x % d.y, thread / (d.x * d.y)}) +
           " of block " +
           describe({block % g.x, block / g.x % g.y, block / (g.x * g.y)}) +
           "\nat " + describe_site(race.other.site) + "\nand " + words(access) +
           order;
}

void touch(Lane &lane, const Site *site, Access access, uint64_t address,
           uint32_t bytes, Shadow &shadow, size_t offset, Fault fault,
           const Block *owner)
{
    const RaceWatch &watch = *lane.of->watch;
    Actor actor = {watch.clock,        watch.first_thread + lane.number,
                   watch.first_thread, watch.block_threads,
                   watch.peers,        watch.clock.heard_up_to(lane.number)};
    Race race;
    if (!shadow.touch(actor, site, access, offset, bytes, &race))
        return;
    std::string of = owner ? describe_memory_of(*owner) + "\n" : "";
    stop(lane, describe_fault(lane, site, fault, address,
                              (uint32_t)__builtin_popcount(bytes),
                              of + described(race, access, lane)));
}

} // namespace

void RaceWatch::start(unsigned threads, size_t number)
{
    clock.start(threads);
    shared.restart();
    block_threads = (threads + 31) / 32 * 32;
    first_thread = (uint32_t)number * block_threads;
}

void races_start_launch()
{
    if (settings().races)
        global_shadow().restart();
}

void races_start_cluster(const Cluster &cluster)
{
    ClusterClocks peers;
    if (!settings().races)
        return;
    for (size_t i = 0; i < cluster.blocks.size(); i++)
        peers.clocks[i] = &cluster.blocks[i]->watch->clock;
    const RaceWatch &first = *cluster.blocks[0]->watch;
    peers.first_thread = first.first_thread;
    peers.threads = first.block_threads * (uint32_t)cluster.blocks.size();
    for (Block *block : cluster.blocks)
        block->watch->peers = peers;
}

void races_discard(size_t offset, size_t size)
{
    if (settings().races)
        global_shadow().discard(offset, size);
}

void runtime_touch_shared(Thread *t, const Site *site, Access access,
                          uint32_t address, uint32_t bytes)
{
    Lane &lane = *static_cast<Lane *>(t);
    touch(lane, site, access, address, bytes, lane.of->watch->shared, address,
          Fault::shared_race, nullptr);
}

void races_touch_peer(Lane &lane, const Site *site, Access access,
                      const Block &block, uint32_t address, uint32_t bytes)
{
    touch(lane, site, access, address, bytes, block.watch->shared, address,
          Fault::shared_race, &block);
}

void runtime_touch_global(Thread *t, const Site *site, Access access,
                          uint64_t address, uint32_t bytes)
{
    static const uint64_t base = arena_view(0).base;
    touch(*static_cast<Lane *>(t), site, access, address, bytes,
          global_shadow(), address - base, Fault::global_race, nullptr);
}

} // namespace vgpu
