/*
 * graphs.cpp - graphs: what a capture kept, in the order it was given
 */

#include "graphs.h"

#include "stream_state.h"

#include <set>

struct CUgraph_st {
    std::vector<vgpu::Work> work;
};

struct CUgraphExec_st {
    std::vector<vgpu::Work> work;
};

namespace vgpu
{

namespace
{

struct Graphs {
    std::set<cudaGraph_t> all;
    std::set<cudaGraphExec_t> instantiated;
};

Graphs &graphs()
{
    static Graphs *instance = new Graphs; /* outlives every static object */
    return *instance;
}

} // namespace

cudaGraph_t new_graph(const std::vector<Work> &work)
{
    cudaGraph_t graph = new CUgraph_st{work};
    graphs().all.insert(graph);
    return graph;
}

size_t live_graphs()
{
    return graphs().all.size() + graphs().instantiated.size();
}

} // namespace vgpu

using namespace vgpu;

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long)
{
    return call([&] {
        if (!graphs().all.count(graph))
            return cudaErrorInvalidValue;
        *exec = new CUgraphExec_st{graph->work};
        graphs().instantiated.insert(*exec);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    return call([&] {
        if (!graphs().instantiated.count(exec))
            return cudaErrorInvalidValue;
        return submit_all(stream, exec->work);
    });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count)
{
    return call([&] {
        if (!graphs().all.count(graph))
            return cudaErrorInvalidValue;
        if (nodes)
            return cudaErrorNotSupported;
        *count = graph->work.size();
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return release_call([&] {
        if (!graphs().all.erase(graph))
            return cudaErrorInvalidValue;
        delete graph;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    return release_call([&] {
        if (!graphs().instantiated.erase(exec))
            return cudaErrorInvalidValue;
        delete exec;
        return cudaSuccess;
    });
}

} // extern "C"
