/*
 * arena.h - device memory
 *
 * Device addresses lie in a range of their own, where the host can touch
 * nothing, as on a GPU; the bytes are in a second mapping.  Addresses are not
 * reused, so memory used after it was freed is seen.  Only the allocation's
 * own bytes may be touched by a kernel: a copy or a kernel that goes one byte
 * beyond is an error.  Each device has a part of the range; its kernels may
 * touch no other.
 */

#ifndef VGPU_ARENA_H
#define VGPU_ARENA_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace vgpu
{

enum class Memory { device, pinned };

/* Device address of 'size' bytes filled with a pattern, or 0.  Pinned memory
 * may also be touched by the host, at the same address.  Aligned to 256 bytes,
 * and on purpose to no more. */
uint64_t arena_allocate(size_t size, Memory kind, int device);

/* False if no allocation starts there. */
bool arena_free(uint64_t address);

/* The bytes behind a device address, or nullptr unless all of the range lies
 * in one allocation. */
unsigned char *arena_bytes(uint64_t address, size_t size);

bool arena_contains(uint64_t address);

struct Allocation {
    uint64_t address = 0;
    size_t size = 0;
    Memory kind = Memory::device;
    int device = 0;
    bool freed = false;
};

/* The allocation that holds an address; false if none does. */
bool arena_find(uint64_t address, Allocation *found);

/* Of each device. */
size_t arena_used(int device);
size_t arena_capacity();

/* Why a range may not be touched, for reports. */
std::string describe_address(uint64_t address, size_t size);

struct ArenaView {
    uint64_t base, size;
    unsigned char *bytes;
    const uint8_t *valid;
};

/* The part of a device. */
ArenaView arena_view(int device);

} // namespace vgpu

#endif
