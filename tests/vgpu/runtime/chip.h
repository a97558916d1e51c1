/*
 * chip.h - the GPU that is played: a T4 for 75, an H200 for 90
 */

#ifndef VGPU_CHIP_H
#define VGPU_CHIP_H

#include <cstddef>

namespace vgpu
{

struct Chip {
    const char *name;
    int major, minor;
    int multiprocessors;
    bool clusters; /* whether blocks can be launched in them */
    int threads_per_multiprocessor, blocks_per_multiprocessor;
    size_t shared_per_multiprocessor;
    size_t shared_per_block;       /* without asking */
    size_t shared_per_block_optin; /* with cudaFuncSetAttribute */
    size_t reserved_shared;        /* a block, by the driver */
    size_t l2_bytes;
    int clock_khz, memory_clock_khz, bus_bits;
};

const Chip &chip();

} // namespace vgpu

#endif
