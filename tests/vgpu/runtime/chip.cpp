/*
 * chip.cpp - the GPU that is played
 */

#include "chip.h"

#include "../vgpu.h"
#include "settings.h"

#include <algorithm>

namespace vgpu
{

namespace
{

Chip chosen()
{
    static const Chip turing = {"vgpu playing sm_75",
                                7,
                                5,
                                40,
                                false,
                                1024,
                                16,
                                64 << 10,
                                48 << 10,
                                64 << 10,
                                0,
                                4 << 20,
                                1590000,
                                5001000,
                                256};
    static const Chip hopper = {"vgpu playing sm_90",
                                9,
                                0,
                                132,
                                true,
                                2048,
                                32,
                                228 << 10,
                                48 << 10,
                                227 << 10,
                                1 << 10,
                                50 << 20,
                                1980000,
                                3201000,
                                6144};
    Chip chip = settings().architecture == 75 ? turing : hopper;
    if (settings().multiprocessors)
        chip.multiprocessors = settings().multiprocessors;
    if (settings().shared_kib)
        chip.shared_per_block_optin = std::min(
            chip.shared_per_block_optin, (size_t)settings().shared_kib << 10);
    return chip;
}

Chip &instance()
{
    static Chip chip = chosen();
    return chip;
}

} // namespace

const Chip &chip()
{
    return instance();
}

} // namespace vgpu

void vgpu_limit_shared(size_t bytes)
{
    static const size_t own = vgpu::chip().shared_per_block_optin;
    vgpu::instance().shared_per_block_optin = std::min(bytes, own);
}
