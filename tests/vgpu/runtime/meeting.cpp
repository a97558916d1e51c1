/*
 * meeting.cpp - warp collectives: the lanes of a member mask meet
 *
 * The last lane of the mask to arrive computes the results of all, so lanes
 * that are elsewhere may meet under another mask at the same time.
 */

#include "block.h"

namespace vgpu
{

namespace
{

bool has(uint32_t mask, unsigned lane)
{
    return mask >> lane & 1;
}

/* As PTX defines shfl: clamp holds the bound in bits 0 to 4, and the mask of
 * the segments in bits 8 to 12. */
void shuffle(Lane &lane, Lane *warp)
{
    int bound = lane.clamp & 31, segments = lane.clamp >> 8 & 31;
    int own = (int)lane.lane, b = lane.argument & 31;
    int low = own & segments, high = low | (bound & ~segments), from = 0;
    switch (lane.meeting) {
    case Meeting::shuffle_up:
        from = own - b;
        lane.met.predicate = from >= high;
        break;
    case Meeting::shuffle_down:
        from = own + b;
        lane.met.predicate = from <= high;
        break;
    case Meeting::shuffle_bfly:
        from = own ^ b;
        lane.met.predicate = from <= high;
        break;
    default:
        from = low | (b & ~segments);
        lane.met.predicate = from <= high;
        break;
    }
    if (!lane.met.predicate)
        from = own;
    if (!has(lane.mask, (unsigned)from))
        stop(lane, describe_fault(lane, lane.site, Fault::shuffle_source,
                                  lane.mask, 0, ""));
    lane.met.value = (uint32_t)warp[from].value;
}

uint32_t reduced(Meeting what, uint32_t a, uint32_t b)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    switch (what) {
    case Meeting::reduce_add:
        return a + b;
    case Meeting::reduce_min:
        return a < b ? a : b;
    case Meeting::reduce_max:
        return a > b ? a : b;
    case Meeting::reduce_min_signed:
        return sa < sb ? a : b;
    case Meeting::reduce_max_signed:
        return sa > sb ? a : b;
    case Meeting::reduce_and:
        return a & b;
    case Meeting::reduce_or:
        return a | b;
    default:
        return a ^ b;
    }
}

/* The lanes whose value is the given one. */
uint32_t lanes_with(uint64_t value, uint32_t mask, const Lane *warp)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < 32; i++)
        if (has(mask, i) && warp[i].value == value)
            lanes |= 1u << i;
    return lanes;
}

/* The same for all lanes of the mask. */
Met common_result(Meeting what, uint32_t mask, const Lane *warp)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask), combined = 0, yes = 0;
    for (unsigned i = first; i < 32; i++) {
        if (!has(mask, i))
            continue;
        uint32_t value = (uint32_t)warp[i].value;
        combined = i == first ? value : reduced(what, combined, value);
        if (value)
            yes |= 1u << i;
    }
    switch (what) {
    case Meeting::sync:
        return {0, false};
    case Meeting::ballot:
        return {yes, false};
    case Meeting::any:
        return {0, yes != 0};
    case Meeting::all:
        return {0, yes == mask};
    case Meeting::match_all: {
        bool same = lanes_with(warp[first].value, mask, warp) == mask;
        return {same ? mask : 0, same};
    }
    default:
        return {combined, false};
    }
}

void give_results(Meeting what, uint32_t mask, Lane *warp)
{
    bool own = what == Meeting::match_any ||
               (what >= Meeting::shuffle_up && what <= Meeting::shuffle_idx);
    Met common = own ? Met{0, false} : common_result(what, mask, warp);
    for (unsigned i = 0; i < 32; i++) {
        if (!has(mask, i))
            continue;
        if (what == Meeting::match_any)
            warp[i].met = {lanes_with(warp[i].value, mask, warp), false};
        else if (own)
            shuffle(warp[i], warp);
        else
            warp[i].met = common;
    }
    for (unsigned i = 0; i < 32; i++)
        if (has(mask, i))
            warp[i].meeting = Meeting::none;
}

/* Whether all lanes of the mask have come, asked of each.  One that waits under
 * another mask may still come; one that has exited can't, and one that waits
 * under this mask for something else never will. */
bool is_each_here(Lane &lane, Lane *warp)
{
    Block &block = *lane.of;
    bool all = true;
    for (unsigned i = 0; i < 32; i++) {
        if (!has(lane.mask, i))
            continue;
        if (lane.warp * 32 + i >= block.threads || warp[i].done)
            stop(lane,
                 describe_fault(lane, lane.site, Fault::lane_absent, lane.mask,
                                0, "lane " + std::to_string(i)));
        if (warp[i].meeting == Meeting::none || warp[i].mask != lane.mask)
            all = false;
        else if (warp[i].meeting != lane.meeting)
            stop(lane,
                 describe_fault(lane, lane.site, Fault::different_operations,
                                lane.mask, 0,
                                "lane " + std::to_string(i) + " waits at " +
                                    describe_site(warp[i].site)));
    }
    return all;
}

/* The same, from what is noted of the warp where that tells. */
bool everybody_here(Lane &lane, Lane *lanes)
{
    Warp &warp = lane.of->warps[lane.warp];
    if (warp.here == 0)
        warp.mask = lane.mask, warp.meeting = lane.meeting, warp.alike = true;
    else if (warp.mask != lane.mask || warp.meeting != lane.meeting)
        warp.alike = false;
    warp.here |= 1u << lane.lane;
    if (warp.alike && !(lane.mask & warp.gone))
        return (lane.mask & ~warp.here) == 0;
    return is_each_here(lane, lanes);
}

} // namespace

Met runtime_meet(Thread *t, const Site *site, Meeting what, uint32_t mask,
                 uint64_t value, uint32_t argument, uint32_t clamp)
{
    Lane &lane = *static_cast<Lane *>(t);
    Lane *warp = &lane.of->lanes[lane.warp * 32];
    lane.site = site;
    lane.meeting = what;
    lane.mask = mask;
    lane.value = value;
    lane.argument = argument;
    lane.clamp = clamp;
    if (!has(mask, lane.lane))
        stop(lane,
             describe_fault(lane, site, Fault::outside_own_mask, mask, 0, ""));
    if (everybody_here(lane, warp)) {
        give_results(what, mask, warp);
        lane.of->warps[lane.warp].here &= ~mask;
        if (what == Meeting::sync && lane.of->watch)
            lane.of->watch->clock.warp_met(lane.warp, mask);
        make_warp_ready(*lane.of, lane.warp, mask);
    }
    wait_turn(lane);
    return lane.met;
}

} // namespace vgpu
