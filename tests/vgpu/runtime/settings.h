/*
 * settings.h - the environment variables VGPU_*, read once
 */

#ifndef VGPU_SETTINGS_H
#define VGPU_SETTINGS_H

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace vgpu
{

/* Forward, reverse or shuffled by a seed. */
struct Order {
    enum { forward, reverse, shuffled } how;
    uint64_t seed;
};

/* When the work of a stream runs: at the call; when something waits for it,
 * and nothing else then; or in random order with the work of others, until
 * what is waited for is done. */
struct Pace {
    enum { eager, lazy, shuffled } how;
    uint64_t seed;
};

struct Settings {
    int architecture;    /* VGPU_SM: 75 or 90 */
    int newest_ptx;      /* VGPU_PTX: the same, or 75 */
    Order threads;       /* VGPU_ORDER */
    Order blocks;        /* VGPU_BLOCKS: shuffled ones are in flight together */
    bool races;          /* VGPU_RACES */
    Pace streams;        /* VGPU_STREAMS */
    int devices;         /* VGPU_DEVICES: 1 or 2 */
    int multiprocessors; /* VGPU_MULTIPROCESSORS; 0: the chip's own */
    int shared_kib;      /* VGPU_SHARED; 0: the chip's own */
    unsigned long fail_call; /* VGPU_FAIL: K or K:NAME; 0: no call fails */
    cudaError_t fail_with;
    bool check_unwritten; /* VGPU_CHECK: 0 lets shared memory be read before
                               it is written */
    bool abort_on_fault;  /* VGPU_ABORT */
    bool traffic;         /* VGPU_TRAFFIC */
    std::string home;     /* VGPU_HOME: the folder tests/vgpu */
    std::string cache;    /* VGPU_CACHE: translated kernels */
    std::string counts;   /* VGPU_COUNTS: file for the launches; or empty */
};

/* Says on stderr what is wrong with a variable, and ends the process. */
const Settings &settings();

} // namespace vgpu

#endif
