/*
 * grid.cpp - the blocks of a launch
 */

#include "grid.h"

#include "block.h"
#include "order.h"

#include <algorithm>
#include <memory>
#include <random>

namespace vgpu
{

namespace
{

constexpr unsigned most_in_flight = 8;

/* Made once, then used by launch after launch. */
Block &slot(unsigned i)
{
    static auto *slots = new std::vector<std::unique_ptr<Block>>;
    while (slots->size() <= i) {
        slots->push_back(std::make_unique<Block>());
        slots->back()->slot = (unsigned)slots->size() - 1;
        if (settings().races)
            slots->back()->watch = std::make_unique<RaceWatch>();
    }
    return *(*slots)[i];
}

void prepare(Block &block, const Launch &l, uint64_t seed)
{
    block.grid.grid_dim = dimensions(l.grid);
    block.grid.block_dim = dimensions(l.block);
    block.grid.dynamic_shared = (uint32_t)l.dynamic_shared;
    block.code = l.kernel->code;
    block.parameters = l.parameters.data();
    block.variables = l.kernel->module->addresses[l.device].data();
    block.pauses = settings().blocks.how == Order::shuffled;
    prepare_block(block, seed + block.slot);
}

void start(Block &block, const Launch &l, size_t number)
{
    size_t row = number / l.grid.x;
    block.grid.block = {(uint32_t)(number % l.grid.x),
                        (uint32_t)(row % l.grid.y), (uint32_t)(row / l.grid.y)};
    block.shared.reset(*l.kernel, l.dynamic_shared);
    if (block.watch)
        block.watch->start(block.threads, number);
    start_block(block);
}

} // namespace

FaultReport run_grid(const Launch &l)
{
    static uint64_t launches;
    uint64_t seed = launches++;
    size_t blocks = (size_t)l.grid.x * l.grid.y * l.grid.z, started = 0;
    bool together = settings().blocks.how == Order::shuffled;
    std::vector<uint32_t> order = make_order(settings().blocks, blocks, seed);
    std::minstd_rand random((unsigned)(settings().blocks.seed + seed));
    std::vector<Block *> flying;

    races_start_launch();
    for (unsigned i = 0; i < (together ? most_in_flight : 1) && i < blocks;
         i++) {
        flying.push_back(&slot(i));
        prepare(*flying[i], l, seed);
        start(*flying[i], l, order[started++]);
    }
    while (!flying.empty()) {
        size_t i = together ? random() % flying.size() : 0;
        Block &block = *flying[i];
        if (run_block(block))
            continue;
        if (block.fault.happened)
            return block.fault;
        if (started < blocks)
            start(block, l, order[started++]);
        else
            flying.erase(flying.begin() + (ptrdiff_t)i);
    }
    return {};
}

} // namespace vgpu
