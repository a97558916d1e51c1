/*
 * grid.h - the blocks of a launch
 *
 * Clusters run one after the other, in the order of blocks (settings.h), and a
 * block without is a cluster of one.  With a shuffled order several are in
 * flight, and at a barrier of one any block of them may go on: kernels whose
 * answer changes with that meet other than DESIGN.md allows.
 */

#ifndef VGPU_GRID_H
#define VGPU_GRID_H

#include "fault.h"
#include "launch.h"

namespace vgpu
{

/* Runs them all, or until one has a fault. */
FaultReport run_grid(const Launch &launch);

} // namespace vgpu

#endif
