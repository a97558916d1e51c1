/*
 * shared.cpp - shared memory of the block that runs
 */

#include "shared.h"

#include "settings.h"

#include <algorithm>
#include <cstring>

namespace vgpu
{

namespace
{

/* A value that no reader expects, in case reads of it are let through. */
constexpr unsigned char unwritten = 0xcd;

alignas(4096) unsigned char memory[shared_limit];
uint8_t states[shared_limit];

void open_range(size_t offset, size_t size)
{
    uint8_t state = settings().check_unwritten ? 0 : shared_written;
    memset(states + offset, state, size);
    memset(memory + offset, unwritten, size);
}

} // namespace

SharedView shared_view()
{
    return {memory, states};
}

void reset_shared(const Kernel &kernel, size_t dynamic_bytes)
{
    static size_t last_end = shared_limit;
    size_t end = kernel.dynamic_offset + dynamic_bytes;
    memset(states, shared_outside, std::max(end, last_end));
    last_end = end;
    for (const Range &range : kernel.shared)
        open_range(range.offset, range.size);
    open_range(kernel.dynamic_offset, dynamic_bytes);
}

} // namespace vgpu
