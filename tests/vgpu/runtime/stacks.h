/*
 * stacks.h - stacks for fibers, each with a page below that cannot be touched
 */

#ifndef VGPU_STACKS_H
#define VGPU_STACKS_H

#include <cstddef>

namespace vgpu
{

struct Block;

struct Stack {
    void *top;
    size_t size;
};

/* The stack of a thread of the block in a slot; made once, then used by block
 * after block. */
Stack stack_of(unsigned slot, unsigned thread);

/* The block that runs; a fiber that starts finds itself by it. */
Block *&running_block();

} // namespace vgpu

#endif
