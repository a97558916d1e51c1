/*
 * traffic.h - what kernels ask of global memory, in sectors
 *
 * A warp's access is counted by the sectors of 32 bytes that its lanes touch,
 * each once, as a GPU's memory pipeline counts it before any cache.  Threads
 * run one after another here, so it is put together afterwards: the n-th time
 * that a lane comes to an instruction belongs with the n-th time of the others
 * of its warp.  That is what the hardware does where lanes take a loop
 * together; where they part it is near to it.
 */

#ifndef VGPU_TRAFFIC_H
#define VGPU_TRAFFIC_H

#include "device.h"

#include <string>

namespace vgpu
{

/* Around the blocks of a launch; both do nothing unless VGPU_TRAFFIC is 1. */
void traffic_start_launch(const std::string &kernel);
void traffic_end_launch();

/* A function of Runtime. */
void runtime_count_global(Thread *, const Site *, Access, uint64_t address,
                          uint32_t bytes);

} // namespace vgpu

#endif
