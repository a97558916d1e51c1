/*
 * traffic.cpp - what kernels ask of global memory, in sectors
 */

#include "traffic.h"

#include "arena.h"
#include "settings.h"
#include "state.h"

#include "../vgpu.h"

#include <cstring>
#include <map>
#include <unordered_map>
#include <vector>

namespace vgpu
{

namespace
{

constexpr uint64_t sector_bytes = 32;

/* An instruction as a thread, or a warp, meets it. */
struct Place {
    const Site *site;
    uint64_t block; /* in the launch */
    uint32_t who;   /* thread, or warp of the block */
    uint32_t time;  /* for a warp: the how manieth */

    bool operator==(const Place &o) const
    {
        return site == o.site && block == o.block && who == o.who &&
               time == o.time;
    }
};

struct Hash {
    size_t operator()(const Place &p) const
    {
        uint64_t h = (uint64_t)p.site;
        for (uint64_t word : {p.block, (uint64_t)p.who << 32 | p.time})
            h = (h ^ word) * 0x9e3779b97f4a7c15u;
        return h ^ h >> 29;
    }
};

/* An access of a warp, so far. */
struct WarpAccess {
    Access access = Access::load;
    std::vector<uint64_t> sectors;
};

struct OfKernel {
    std::string name;
    uint64_t launches = 0;
    std::map<uint64_t, vgpu_traffic> allocations; /* by address */
};

struct Traffic {
    std::vector<OfKernel> kernels;
    OfKernel *current = nullptr;
    std::unordered_map<Place, uint32_t, Hash> times;
    std::unordered_map<Place, WarpAccess, Hash> accesses;
};

Traffic &traffic()
{
    static Traffic *instance = new Traffic;
    return *instance;
}

uint64_t &counter(vgpu_traffic &of, Access access)
{
    switch (access) {
    case Access::load:
    case Access::constant_load:
        return of.loads;
    case Access::store:
        return of.stores;
    default:
        return of.atomics;
    }
}

void add(const WarpAccess &warp)
{
    for (uint64_t sector : warp.sectors) {
        Allocation allocation;
        arena_find(sector * sector_bytes, &allocation);
        counter(traffic().current->allocations[allocation.address],
                warp.access)++;
    }
}

uint32_t number_of(const Thread *t)
{
    const Dimensions &d = t->grid->block_dim;
    return (t->index.z * d.y + t->index.y) * d.x + t->index.x;
}

} // namespace

void traffic_start_launch(const std::string &kernel)
{
    if (!settings().traffic)
        return;
    auto &kernels = traffic().kernels;
    size_t i = 0;
    while (i < kernels.size() && kernels[i].name != kernel)
        i++;
    if (i == kernels.size())
        kernels.push_back({kernel, 0, {}});
    traffic().current = &kernels[i];
    kernels[i].launches++;
}

void traffic_end_launch()
{
    if (!settings().traffic)
        return;
    for (const auto &[place, warp] : traffic().accesses)
        add(warp);
    traffic().accesses.clear();
    traffic().times.clear();
}

void runtime_count_global(Thread *t, const Site *site, Access access,
                          uint64_t address, uint32_t)
{
    const Dimensions &g = t->grid->grid_dim, &b = t->grid->block;
    uint64_t block = ((uint64_t)b.z * g.y + b.y) * g.x + b.x;
    uint32_t time = traffic().times[{site, block, number_of(t), 0}]++;
    WarpAccess &warp = traffic().accesses[{site, block, t->warp, time}];
    uint64_t sector = address / sector_bytes;
    warp.access = access;
    for (uint64_t seen : warp.sectors)
        if (seen == sector)
            return;
    warp.sectors.push_back(sector);
}

} // namespace vgpu

using namespace vgpu;

extern "C" {

const char *vgpu_traffic_kernel(size_t index)
{
    Hold hold(state().lock);
    auto &kernels = traffic().kernels;
    return index < kernels.size() ? kernels[index].name.c_str() : nullptr;
}

struct vgpu_traffic vgpu_traffic_of(const char *kernel, const void *memory)
{
    Hold hold(state().lock);
    struct vgpu_traffic sum = {};
    Allocation wanted;
    arena_find((uint64_t)memory, &wanted);
    for (const OfKernel &k : traffic().kernels) {
        if (kernel && k.name != kernel)
            continue;
        sum.launches += k.launches;
        for (const auto &[address, part] : k.allocations) {
            if (memory && address != wanted.address)
                continue;
            sum.loads += part.loads;
            sum.stores += part.stores;
            sum.atomics += part.atomics;
        }
    }
    return sum;
}

void vgpu_forget_traffic(void)
{
    Hold hold(state().lock);
    traffic().kernels.clear();
}

} // extern "C"
