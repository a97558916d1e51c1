/*
 * shared.h - shared memory of a block
 *
 * Each byte has a state: outside every variable, written, or neither.
 */

#ifndef VGPU_SHARED_H
#define VGPU_SHARED_H

#include "module.h"

#include <memory>

namespace vgpu
{

struct SharedMemory {
    std::unique_ptr<unsigned char[]> storage;
    unsigned char *bytes = nullptr; /* aligned for every access */
    std::unique_ptr<uint8_t[]> state;
    size_t last_end = 0; /* of what the block before had open */

    SharedMemory();

    /* Before a block runs: what the variables and the dynamic part hold is not
     * written. */
    void reset(const Kernel &kernel, size_t dynamic_bytes);

  private:
    void open_range(size_t offset, size_t size);
};

} // namespace vgpu

#endif
