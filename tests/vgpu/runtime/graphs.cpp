/*
 * graphs.cpp - graphs: what a capture kept, in the order it was given
 */

#include "graphs.h"

#include "state.h"
#include "stream_state.h"

struct CUgraph_st {
    std::vector<vgpu::Work> work;
};

struct CUgraphExec_st {
    std::vector<vgpu::Work> work;
};

namespace vgpu
{

cudaGraph_t new_graph(const std::vector<Work> &work)
{
    return new CUgraph_st{work};
}

} // namespace vgpu

using namespace vgpu;

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long)
{
    return call([&] {
        *exec = new CUgraphExec_st{graph->work};
        return cudaSuccess;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    return call([&] { return submit_all(stream, exec->work); });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count)
{
    return call([&] {
        if (nodes)
            return cudaErrorNotSupported;
        *count = graph->work.size();
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return call([&] {
        delete graph;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    return call([&] {
        delete exec;
        return cudaSuccess;
    });
}

} // extern "C"
