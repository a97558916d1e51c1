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

/* Graphs, and what they were instantiated to. */
size_t live_graphs();

} // namespace vgpu

#endif
