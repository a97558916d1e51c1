/*
 * stacks.cpp - stacks for fibers, each with a page below that cannot be touched
 */

#include "stacks.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace vgpu
{

namespace
{

constexpr size_t guard = 4096, size = 256 << 10;

void *new_stack()
{
    void *p = mmap(nullptr, guard + size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || mprotect(p, guard, PROT_NONE) != 0) {
        perror("vgpu: no memory for a thread's stack");
        abort();
    }
    return static_cast<char *>(p) + guard + size;
}

} // namespace

Stack stack_of(unsigned slot, unsigned thread)
{
    static std::vector<std::vector<void *>> slots;
    if (slots.size() <= slot)
        slots.resize(slot + 1);
    std::vector<void *> &tops = slots[slot];
    while (tops.size() <= thread)
        tops.push_back(new_stack());
    return {tops[thread], size};
}

Block *&running_block()
{
    static Block *block;
    return block;
}

} // namespace vgpu
