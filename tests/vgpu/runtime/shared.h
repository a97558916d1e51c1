/*
 * shared.h - shared memory of the block that runs
 *
 * Each byte has a state: outside every variable, written, or neither.
 */

#ifndef VGPU_SHARED_H
#define VGPU_SHARED_H

#include "module.h"

namespace vgpu
{

struct SharedView {
    unsigned char *bytes;
    uint8_t *state;
};

SharedView shared_view();

/* Before each block of a launch: what the variables and the dynamic part hold
 * is not written. */
void reset_shared(const Kernel &kernel, size_t dynamic_bytes);

} // namespace vgpu

#endif
