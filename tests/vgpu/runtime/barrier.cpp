/*
 * barrier.cpp - barriers of a whole block
 *
 * A barrier opens when every thread that has not ended is there.
 */

#include "block.h"

namespace vgpu
{

namespace
{

void open(Block &block)
{
    uint32_t result = block.barrier_count;
    if (block.barrier_kind == Barrier::all)
        result = block.barrier_count == block.arrived;
    else if (block.barrier_kind == Barrier::any)
        result = block.barrier_count != 0;
    for (unsigned i = 0; i < block.threads; i++) {
        Lane &lane = block.lanes[i];
        if (lane.done)
            continue;
        lane.at_barrier = false;
        lane.met.value = result;
    }
    block.arrived = 0;
    block.pausing = block.pauses;
    if (block.watch)
        block.watch->clock.barrier_opened();
    make_all_ready(block);
}

} // namespace

uint32_t runtime_barrier(Thread *t, const Site *site, Barrier kind,
                         bool predicate)
{
    Lane &lane = *static_cast<Lane *>(t);
    Block &block = *lane.of;
    lane.site = site;
    if (block.arrived == 0) {
        block.barrier_kind = kind;
        block.barrier_count = 0;
    } else if (block.barrier_kind != kind) {
        stop(lane, describe_fault(lane, site, Fault::barrier_kinds, 0, 0, ""));
    }
    lane.at_barrier = true;
    block.barrier_count += predicate;
    if (++block.arrived == block.alive)
        open(block);
    wait_turn(lane);
    return lane.met.value;
}

void barrier_thread_ended(Block &block)
{
    if (block.arrived && block.arrived == block.alive)
        open(block);
}

} // namespace vgpu
