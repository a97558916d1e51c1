/*
 * block.cpp - the threads of a block, as fibers on one thread of the CPU
 */

#include "block.h"

#include "cluster.h"
#include "order.h"
#include "settings.h"
#include "stacks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace vgpu
{

namespace
{

/* First thing to do on a fiber that was switched to: keep where the one that
 * switched can be resumed. */
void arrive(context::transfer_t from, Block &block)
{
    Lane *lane = static_cast<Lane *>(from.data);
    (lane ? lane->context : block.host) = from.fctx;
}

std::string hexadecimal(uint32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%#x", value);
    return text;
}

std::string waits_in(const Lane &lane)
{
    std::string why = "a barrier ";
    if (lane.at_cluster_barrier)
        why = "the cluster's barrier ";
    else if (!lane.at_barrier)
        why = "a collective of mask " + hexadecimal(lane.mask) + " ";
    return why + describe_site(lane.site);
}

/* Where the waiting threads stand, one line a place. */
std::string waiting(const Block &block)
{
    std::map<std::string, unsigned> places;
    for (const Lane &lane : block.lanes)
        if (!lane.done)
            places[waits_in(lane)]++;
    std::string text = std::to_string(block.threads - block.alive) + " of " +
                       std::to_string(block.threads) + " threads have exited";
    for (const auto &[place, count] : places)
        text += "\n" + std::to_string(count) + " wait in " + place;
    return text;
}

[[noreturn]] void stop_in_deadlock(Lane &from)
{
    const Lane *found = nullptr;
    std::string text;
    const Cluster &cluster = *from.of->cluster;
    for (const Block *block : cluster.blocks) {
        for (const Lane &lane : block->lanes)
            if (!lane.done && !found)
                found = &lane;
        if (cluster.blocks.size() > 1)
            text += (text.empty() ? "block " : "\nblock ") +
                    describe(block->grid.block) + ": ";
        text += waiting(*block);
    }
    stop(from,
         describe_fault(*found, found->site, Fault::deadlock, 0, 0, text));
}

void run_next(Lane &from)
{
    Block &block = *from.of;
    if (block.ready.empty() && is_stuck(*block.cluster))
        stop_in_deadlock(from);
    if (block.ready.empty() && block.alive == 0) {
        context::jump_fcontext(block.host, nullptr);
        abort(); /* nobody resumes a thread that ended */
    }
    if (block.pausing || block.ready.empty()) {
        block.pausing = false;
        arrive(context::jump_fcontext(block.host, &from), block);
        return;
    }
    Lane *next = block.ready.back();
    block.ready.pop_back();
    if (next == &from)
        return;
    block.current = next;
    arrive(context::jump_fcontext(next->context, &from), block);
}

void lane_main(context::transfer_t from)
{
    Block &block = *running_block();
    arrive(from, block);
    Lane &lane = *block.current;
    block.code(&lane, block.parameters, block.variables);
    lane.done = true;
    block.warps[lane.warp].gone |= 1u << lane.lane;
    block.alive--;
    barrier_thread_ended(block);
    cluster_thread_ended(lane);
    run_next(lane);
    abort();
}

} // namespace

void prepare_block(Block &block, uint64_t seed)
{
    const Dimensions &d = block.grid.block_dim;
    block.threads = d.x * d.y * d.z;
    block.order = make_order(settings().threads, block.threads, seed);
    block.warp_order.assign((block.threads + 31) / 32, {});
    for (unsigned i : block.order)
        block.warp_order[i / 32].push_back(i);
    block.lanes.resize(block.threads);
    block.ready.reserve(block.threads);
    block.fault.happened = false;
}

void start_block(Block &block)
{
    const Dimensions &d = block.grid.block_dim;
    for (unsigned i = 0; i < block.threads; i++) {
        Lane &lane = block.lanes[i] = Lane();
        lane.index = {i % d.x, i / d.x % d.y, i / (d.x * d.y)};
        lane.lane = i % 32;
        lane.warp = i / 32;
        lane.grid = &block.grid;
        lane.shared = block.shared.bytes;
        lane.shared_state = block.shared.state.get();
        lane.of = &block;
        lane.number = i;
        Stack stack = stack_of(block.slot, i);
        lane.context = context::make_fcontext(stack.top, stack.size, lane_main);
    }
    block.warps.assign((block.threads + 31) / 32, Warp());
    if (block.threads % 32)
        block.warps.back().gone = ~0u << block.threads % 32;
    block.alive = block.threads;
    block.arrived = 0;
    block.waits = 0;
    block.last_remote = {};
    block.pausing = false;
    block.ready.clear();
    make_all_ready(block);
}

bool run_block(Block &block)
{
    block.current = block.ready.back();
    block.ready.pop_back();
    running_block() = &block;
    context::transfer_t from =
        context::jump_fcontext(block.current->context, nullptr);
    running_block() = nullptr;
    Lane *paused = static_cast<Lane *>(from.data);
    if (paused)
        paused->context = from.fctx;
    return paused != nullptr;
}

void wait_turn(Lane &lane)
{
    run_next(lane);
}

void make_all_ready(Block &block)
{
    for (auto i = block.order.rbegin(); i != block.order.rend(); ++i)
        if (!block.lanes[*i].done)
            block.ready.push_back(&block.lanes[*i]);
}

void make_cluster_ready(Block &block)
{
    for (auto i = block.order.rbegin(); i != block.order.rend(); ++i) {
        Lane &lane = block.lanes[*i];
        if (lane.at_cluster_barrier)
            block.ready.push_back(&lane);
        lane.at_cluster_barrier = false;
    }
}

void make_warp_ready(Block &block, unsigned warp, uint32_t mask)
{
    const std::vector<uint32_t> &order = block.warp_order[warp];
    for (auto i = order.rbegin(); i != order.rend(); ++i)
        if (mask >> *i % 32 & 1)
            block.ready.push_back(&block.lanes[*i]);
}

void stop(Lane &lane, const FaultReport &report)
{
    Block &block = *lane.of;
    block.fault = report;
    context::jump_fcontext(block.host, nullptr);
    abort(); /* the block is not resumed */
}

void runtime_fault(Thread *t, const Site *site, Fault what, uint64_t address,
                   uint32_t size)
{
    Lane &lane = *static_cast<Lane *>(t);
    stop(lane, describe_fault(lane, site, what, address, size, ""));
}

} // namespace vgpu
