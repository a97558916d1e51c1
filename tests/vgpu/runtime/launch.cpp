/*
 * launch.cpp - kernel launches: checks, and running them
 */

#include "launch.h"

#include "chip.h"
#include "counts.h"
#include "grid.h"
#include "registry.h"
#include "settings.h"
#include "state.h"
#include "streams.h"
#include "traffic.h"

#include <xmmintrin.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace vgpu
{

namespace
{

cudaError_t error_of(Fault what)
{
    switch (what) {
    case Fault::misaligned:
        return cudaErrorMisalignedAddress;
    case Fault::global_bounds:
    case Fault::shared_bounds:
    case Fault::local_bounds:
    case Fault::parameter_bounds:
    case Fault::cluster_rank:
    case Fault::cluster_address:
    case Fault::cluster_ended:
        return cudaErrorIllegalAddress;
    default:
        return cudaErrorLaunchFailure;
    }
}

void report(const Launch &launch, const FaultReport &fault)
{
    std::string text = "fault in kernel " + launch.kernel->name + " <<<" +
                       describe(dimensions(launch.grid)) + ", " +
                       describe(dimensions(launch.block)) + ", " +
                       std::to_string(launch.dynamic_shared) +
                       ">>>: " + fault.text;
    size_t from = 0;
    while (from < text.size()) {
        size_t end = text.find('\n', from);
        fprintf(stderr, "vgpu: %s\n", text.substr(from, end - from).c_str());
        from = end + 1;
    }
    if (settings().abort_on_fault) {
        write_counts();
        _exit(1);
    }
}

/* Rounds to nearest and keeps denormals, whatever the caller has set. */
struct DefaultArithmetic {
    unsigned before = _mm_getcsr();
    DefaultArithmetic()
    {
        _mm_setcsr(0x1f80);
    }
    ~DefaultArithmetic()
    {
        _mm_setcsr(before);
    }
};

bool is_known(cudaLaunchAttributeID id)
{
    return id == cudaLaunchAttributeIgnore ||
           id == cudaLaunchAttributeProgrammaticStreamSerialization ||
           id == cudaLaunchAttributePriority;
}

cudaError_t check(const Launch &l)
{
    size_t threads = (size_t)l.block.x * l.block.y * l.block.z;
    size_t shared = l.kernel->shared_bytes + l.dynamic_shared;
    if (threads == 0 || threads > 1024 || l.block.x > 1024 ||
        l.block.y > 1024 || l.block.z > 64)
        return cudaErrorInvalidConfiguration;
    if (l.grid.x == 0 || l.grid.y == 0 || l.grid.z == 0 ||
        l.grid.x > 0x7fffffff || l.grid.y > 65535 || l.grid.z > 65535)
        return cudaErrorInvalidConfiguration;
    if (!cluster_fits(l))
        return cudaErrorInvalidClusterSize;
    if (threads > l.kernel->max_threads)
        return cudaErrorLaunchOutOfResources;
    if (l.dynamic_shared > l.kernel->max_dynamic_shared ||
        shared > chip().shared_per_block_optin)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t launch(const void *handle, dim3 grid, dim3 block, void **arguments,
                   size_t dynamic_shared, cudaStream_t stream,
                   unsigned cluster = 1)
{
    Launch l;
    l.cluster = std::max(cluster, 1u);
    l.device = device_of(stream);
    if (l.device != current_device())
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = find_code(handle, &l.kernel);
    if (error != cudaSuccess)
        return error;
    l.grid = grid;
    l.block = block;
    l.dynamic_shared = dynamic_shared;
    error = check(l);
    if (error != cudaSuccess)
        return error;
    l.parameters.resize(l.kernel->parameter_bytes() + 16);
    size_t i = 0;
    for (const Range &p : l.kernel->parameters)
        memcpy(&l.parameters[p.offset], arguments[i++], p.size);
    return submit(stream, [l] { run(l); });
}

struct Configuration {
    dim3 grid, block;
    size_t shared;
    void *stream;
};

std::vector<Configuration> &pushed()
{
    static thread_local std::vector<Configuration> stack;
    return stack;
}

} // namespace

cudaError_t cluster_of(const cudaLaunchConfig_t &config, unsigned *blocks)
{
    *blocks = 0;
    for (unsigned i = 0; i < config.numAttrs; i++) {
        auto id = config.attrs[i].id;
        if (id == cudaLaunchAttributeClusterDimension) {
            const auto &d = config.attrs[i].val.clusterDim;
            if (!chip().clusters)
                return cudaErrorNotSupported;
            if (d.x == 0 || d.y == 0 || d.z == 0)
                return cudaErrorInvalidClusterSize;
            if (d.y != 1 || d.z != 1) {
                fprintf(stderr, "vgpu: clusters along x only are played\n");
                return cudaErrorNotSupported;
            }
            *blocks = d.x;
        } else if (!is_known(id)) {
            fprintf(stderr, "vgpu: launch attribute %d is not supported\n",
                    (int)id);
            return cudaErrorNotSupported;
        }
    }
    return cudaSuccess;
}

bool cluster_fits(const Launch &l)
{
    return l.cluster && l.cluster <= l.kernel->max_cluster &&
           l.grid.x % l.cluster == 0;
}

void run(const Launch &l)
{
    if (state().broken[l.device] != cudaSuccess)
        return;
    bind_to(*l.kernel, l.device);
    DefaultArithmetic arithmetic;
    count_launch(l.cluster > 1 ? l.kernel->name + " in clusters of " +
                                     std::to_string(l.cluster)
                               : l.kernel->name);
    traffic_start_launch(l.kernel->name);
    FaultReport fault = run_grid(l);
    traffic_end_launch();
    if (fault.happened) {
        state().broken[l.device] = error_of(fault.what);
        report(l, fault);
    }
}

} // namespace vgpu

using namespace vgpu;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     void *stream)
{
    pushed().push_back({grid, block, shared, stream});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream)
{
    if (pushed().empty())
        return cudaErrorMissingConfiguration;
    Configuration c = pushed().back();
    pushed().pop_back();
    *grid = c.grid;
    *block = c.block;
    *shared = c.shared;
    *static_cast<void **>(stream) = c.stream;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t shared,
                               cudaStream_t stream)
{
    return call(
        [&] { return launch(kernel, grid, block, arguments, shared, stream); });
}

cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block,
                             void **arguments, size_t shared,
                             cudaStream_t stream)
{
    return call(
        [&] { return launch(stub, grid, block, arguments, shared, stream); });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *stub,
                                void **arguments)
{
    return call([&] {
        unsigned cluster;
        cudaError_t error = cluster_of(*c, &cluster);
        if (error != cudaSuccess)
            return error;
        return launch(stub, c->gridDim, c->blockDim, arguments,
                      c->dynamicSmemBytes, c->stream, cluster);
    });
}

} // extern "C"
