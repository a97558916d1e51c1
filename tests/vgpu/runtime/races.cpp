/*
 * races.cpp - races of a kernel's threads, looked for while it runs
 */

#include "races.h"

#include "arena.h"
#include "block.h"
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
    bool same = block == watch.first_thread / watch.block_threads;
    return std::string(words(race.access)) + " by thread " +
           describe({thread % d.x, thread / d.x % d.y, thread / (d.x * d.y)}) +
           " of block " +
           describe({block % g.x, block / g.x % g.y, block / (g.x * g.y)}) +
           "\nat " + describe_site(race.other.site) + "\nand " + words(access) +
           (same ? " with no barrier or __syncwarp between" : "");
}

void touch(Thread *t, const Site *site, Access access, uint64_t address,
           uint32_t bytes, Shadow &shadow, size_t offset, Fault fault)
{
    Lane &lane = *static_cast<Lane *>(t);
    const RaceWatch &watch = *lane.of->watch;
    Actor actor = {watch.clock, watch.first_thread + lane.number,
                   watch.first_thread, watch.block_threads};
    Race race;
    if (shadow.touch(actor, site, access, offset, bytes, &race))
        stop(lane, describe_fault(lane, site, fault, address,
                                  (uint32_t)__builtin_popcount(bytes),
                                  described(race, access, lane)));
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

void races_discard(size_t offset, size_t size)
{
    if (settings().races)
        global_shadow().discard(offset, size);
}

void runtime_touch_shared(Thread *t, const Site *site, Access access,
                          uint32_t address, uint32_t bytes)
{
    touch(t, site, access, address, bytes,
          static_cast<Lane *>(t)->of->watch->shared, address,
          Fault::shared_race);
}

void runtime_touch_global(Thread *t, const Site *site, Access access,
                          uint64_t address, uint32_t bytes)
{
    static const uint64_t base = arena_view(0).base;
    touch(t, site, access, address, bytes, global_shadow(), address - base,
          Fault::global_race);
}

} // namespace vgpu
