/*
 * live.cpp - what programs made and have not released
 */

#include "live.h"

#include "graphs.h"
#include "stream_state.h"

#include "../vgpu.h"

namespace vgpu
{

LiveMemory &live()
{
    static LiveMemory instance;
    return instance;
}

} // namespace vgpu

using namespace vgpu;

extern "C" struct vgpu_live vgpu_live_objects(void)
{
    Hold hold(state().lock);
    return {live().allocations, live().bytes, streams().all.size(),
            streams().events.size(), live_graphs()};
}
