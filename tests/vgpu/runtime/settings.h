/*
 * settings.h - the environment variables VGPU_*, read once
 */

#ifndef VGPU_SETTINGS_H
#define VGPU_SETTINGS_H

#include <cstdint>
#include <string>

namespace vgpu
{

enum class Order { forward, reverse, shuffled };

struct Settings {
    int architecture; /* VGPU_SM: 75 or 90 */
    Order order;      /* VGPU_ORDER: forward, reverse or a seed */
    uint64_t seed;
    bool check_unwritten; /* VGPU_CHECK: 0 lets shared memory be read before
                               it is written */
    bool abort_on_fault;  /* VGPU_ABORT */
    std::string home;     /* VGPU_HOME: the folder tests/vgpu */
    std::string cache;    /* VGPU_CACHE: translated kernels */
    std::string counts;   /* VGPU_COUNTS: file for the launches; or empty */
};

/* Says on stderr what is wrong with a variable, and ends the process. */
const Settings &settings();

} // namespace vgpu

#endif
