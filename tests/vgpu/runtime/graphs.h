/*
 * graphs.h - graphs: what a capture kept, in the order it was given
 */

#ifndef VGPU_GRAPHS_H
#define VGPU_GRAPHS_H

#include "streams.h"

#include <vector>

namespace vgpu
{

cudaGraph_t new_graph(const std::vector<Work> &work);

} // namespace vgpu

#endif
