/*
 * chip.cpp - the GPU that is played
 */

#include "chip.h"

#include "settings.h"

namespace vgpu
{

const Chip &chip()
{
    static const Chip turing = {"vgpu playing sm_75",
                                7,
                                5,
                                40,
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
    return settings().architecture == 75 ? turing : hopper;
}

} // namespace vgpu
