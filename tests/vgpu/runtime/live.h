/*
 * live.h - memory that programs allocated and have not released
 */

#ifndef VGPU_LIVE_H
#define VGPU_LIVE_H

#include <cstddef>

namespace vgpu
{

struct LiveMemory {
    size_t allocations = 0, bytes = 0;
};

LiveMemory &live();

} // namespace vgpu

#endif
