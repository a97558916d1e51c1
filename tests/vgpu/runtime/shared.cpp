/*
 * shared.cpp - shared memory of a block
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

constexpr size_t alignment = 256;

} // namespace

SharedMemory::SharedMemory()
    : storage(new unsigned char[shared_limit + alignment]),
      state(new uint8_t[shared_limit])
{
    size_t past = (uintptr_t)storage.get() % alignment;
    bytes = storage.get() + (alignment - past) % alignment;
    memset(state.get(), shared_outside, shared_limit);
}

void SharedMemory::open_range(size_t offset, size_t size)
{
    uint8_t first = settings().check_unwritten ? 0 : shared_written;
    memset(state.get() + offset, first, size);
    memset(bytes + offset, unwritten, size);
}

void SharedMemory::reset(const Kernel &kernel, size_t dynamic_bytes)
{
    size_t end = kernel.dynamic_offset + dynamic_bytes;
    memset(state.get(), shared_outside, std::max(end, last_end));
    last_end = end;
    for (const Range &range : kernel.shared)
        open_range(range.offset, range.size);
    open_range(kernel.dynamic_offset, dynamic_bytes);
}

} // namespace vgpu
