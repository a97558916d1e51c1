/*
 * arena.cpp - device memory
 */

#include "arena.h"

#include "races.h"
#include "state.h"

#include <sys/mman.h>
#include <unistd.h>
#include <fcntl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace vgpu
{

namespace
{

/* Addresses, not memory: pages that nobody touched take none.  All mappings fit
 * in the 1.5 TiB that ThreadSanitizer leaves a program. */
constexpr size_t part = size_t(256) << 30;
constexpr size_t address_space = most_devices * part;
constexpr size_t capacity = size_t(8) << 30;
constexpr size_t page = 4096, alignment = 256;
constexpr unsigned char unwritten = 0xcd;

struct Arena {
    int file = -1;
    unsigned char *device = nullptr; /* the addresses kernels see */
    unsigned char *bytes = nullptr;
    uint8_t *valid = nullptr;
    size_t top[most_devices]; /* a page stays unused before the first */
    size_t used[most_devices] = {};
    std::map<uint64_t, Allocation> allocations;

    Arena();
};

unsigned char *reserve(size_t size, int protection, int flags, int file)
{
    void *p = mmap(nullptr, size, protection, flags | MAP_NORESERVE, file, 0);
    if (p == MAP_FAILED) {
        perror("vgpu: cannot reserve device memory");
        abort();
    }
    return static_cast<unsigned char *>(p);
}

Arena::Arena()
{
    for (int d = 0; d < most_devices; d++)
        top[d] = d * part + page;
    file = memfd_create("vgpu device memory", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, address_space) != 0) {
        perror("vgpu: cannot create device memory");
        abort();
    }
    device = reserve(address_space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    bytes = reserve(address_space, PROT_READ | PROT_WRITE, MAP_SHARED, file);
    valid = reserve(address_space / 8, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

Arena &arena()
{
    static Arena *instance = new Arena; /* outlives every static object */
    return *instance;
}

size_t rounded_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

void set_valid(size_t offset, size_t size, bool on)
{
    uint8_t *granule = arena().valid + offset / 8;
    memset(granule, on ? 8 : 0, size / 8);
    if (size % 8)
        granule[size / 8] = on ? size % 8 : 0;
}

/* The pages of an allocation, none of which another one shares. */
size_t first_page(size_t offset)
{
    return offset / page * page;
}

} // namespace

uint64_t arena_allocate(size_t size, Memory kind, int device)
{
    Arena &a = arena();
    size_t &top = a.top[device];
    size_t offset = top + alignment;
    if (size > capacity - a.used[device] ||
        size > (device + 1) * part - offset - 2 * page)
        return 0;
    size_t end = rounded_up(offset + size, page);
    if (kind == Memory::pinned &&
        mmap(a.device + top, end - top, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, a.file, (off_t)top) == MAP_FAILED)
        return 0;
    top = end + page;
    a.used[device] += size;
    memset(a.bytes + offset, unwritten, size);
    set_valid(offset, size, true);
    uint64_t address = (uint64_t)a.device + offset;
    a.allocations[address] = {address, size, kind, device, false};
    return address;
}

bool arena_free(uint64_t address)
{
    Arena &a = arena();
    auto found = a.allocations.find(address);
    if (found == a.allocations.end() || found->second.freed)
        return false;
    Allocation &allocation = found->second;
    size_t offset = address - (uint64_t)a.device;
    size_t start = first_page(offset);
    size_t length = rounded_up(offset + allocation.size, page) - start;
    set_valid(offset, allocation.size, false);
    races_discard(offset, allocation.size);
    if (allocation.kind == Memory::pinned)
        mmap(a.device + start, length, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    fallocate(a.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start,
              (off_t)length);
    a.used[allocation.device] -= allocation.size;
    allocation.freed = true;
    return true;
}

bool arena_contains(uint64_t address)
{
    return address - (uint64_t)arena().device < address_space;
}

bool arena_find(uint64_t address, Allocation *found)
{
    auto &all = arena().allocations;
    auto after = all.upper_bound(address);
    if (after == all.begin())
        return false;
    const Allocation &before = std::prev(after)->second;
    if (before.freed || address - before.address >= before.size)
        return false;
    *found = before;
    return true;
}

unsigned char *arena_bytes(uint64_t address, size_t size)
{
    Allocation allocation;
    if (!arena_find(address, &allocation) ||
        size > allocation.size - (address - allocation.address))
        return nullptr;
    return arena().bytes + (address - (uint64_t)arena().device);
}

size_t arena_used(int device)
{
    return arena().used[device];
}

size_t arena_capacity()
{
    return capacity;
}

std::string describe_address(uint64_t address, size_t size)
{
    if (address < page)
        return "a null pointer";
    if (!arena_contains(address))
        return "not an address of device memory";
    auto &all = arena().allocations;
    auto after = all.upper_bound(address);
    if (after == all.begin())
        return "before every allocation";
    const Allocation &before = std::prev(after)->second;
    size_t into = address - before.address;
    char text[160], of[24] = "";
    if (before.device != 0)
        snprintf(of, sizeof of, " of device %d", before.device);
    const char *what = before.freed ? "freed memory" : "an allocation";
    if (into + size > before.size)
        snprintf(text, sizeof text,
                 "%zu bytes past the end of %s of %zu bytes%s",
                 into + size - before.size, what, before.size, of);
    else
        snprintf(text, sizeof text, "%zu bytes into %s of %zu bytes%s", into,
                 what, before.size, of);
    return text;
}

ArenaView arena_view(int device)
{
    Arena &a = arena();
    size_t start = device * part;
    return {(uint64_t)a.device + start, part, a.bytes + start,
            a.valid + start / 8};
}

} // namespace vgpu
