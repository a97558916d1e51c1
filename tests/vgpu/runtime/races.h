/*
 * races.h - races of a kernel's threads, looked for while it runs
 *
 * Shared memory has a shadow a block, global memory one a launch (shadow.h).
 */

#ifndef VGPU_RACES_H
#define VGPU_RACES_H

#include "clock.h"
#include "shadow.h"

#include <cstddef>
#include <cstdint>

namespace vgpu
{

struct Block;
struct Cluster;
struct Lane;

/* Of a block; there is one only if races are looked for. */
struct RaceWatch {
    Clock clock;
    Shadow shared{shared_limit};
    uint32_t block_threads = 0; /* padded to warps */
    uint32_t first_thread = 0;  /* in the launch */
    ClusterClocks peers;

    /* 'number' is the block's, in the launch. */
    void start(unsigned threads, size_t number);
};

/* Before the blocks of a launch. */
void races_start_launch();

/* After all blocks of a cluster have started. */
void races_start_cluster(const Cluster &cluster);

/* Freed device memory, by its place in the arena. */
void races_discard(size_t offset, size_t size);

/* Of an access of the shared memory of another block. */
void races_touch_peer(Lane &lane, const Site *, Access, const Block &block,
                      uint32_t address, uint32_t bytes);

/* The functions of Runtime. */
void runtime_touch_shared(Thread *, const Site *, Access, uint32_t address,
                          uint32_t bytes);
void runtime_touch_global(Thread *, const Site *, Access, uint64_t address,
                          uint32_t bytes);

} // namespace vgpu

#endif
