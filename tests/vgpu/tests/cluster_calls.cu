/*
 * cluster_calls.cu - calls about clusters: launches that are refused, graphs,
 * occupancy, limits of shared memory, and what is counted of memory
 *
 * As sm_75 there are none.  Also prints how many multiprocessors there are.
 */

#include "clusters.h"

#include "../vgpu.h"

#include <dlfcn.h>

#include <cstring>

constexpr size_t kib = 1024;

/* The last bytes of the next block's dynamic memory, times ten. */
__global__ void last_of_next(u32 *out, u32 words)
{
    extern __shared__ u32 dynamic[];
    dynamic[words - 1 - threadIdx.x] = blockIdx.x * 32 + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    u32 rank = (__clusterRelativeBlockRank() + 1) % __clusterSizeInBlocks();
    sync_cluster();
    u32 v = mapped(dynamic, rank)[words - 1 - threadIdx.x];
    sync_cluster();
#else
    u32 v = dynamic[words - 1 - threadIdx.x];
#endif
    out[blockIdx.x * 32 + threadIdx.x] += v * 10;
}

#if __CUDA_ARCH__ == 750
#define AT_MOST_FOUR
#else
#define AT_MOST_FOUR __launch_bounds__(64, 1, 4)
#endif

__global__ void AT_MOST_FOUR at_most_four(u32 *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        out[0] = 1;
}

static cudaError_t launched(dim3 cluster, dim3 blocks, size_t shared = 1024)
{
    static Array<u32> out(8 * 32);
    Configuration c(cluster, blocks, 32, shared);
    cudaError_t error = cudaLaunchKernelEx(&c.config, last_of_next, out.device,
                                           (u32)(shared / 4));
    return cudaGetLastError() == error ? error : cudaErrorUnknown;
}

static int attribute(cudaDeviceAttr which)
{
    int value;
    CUDA(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static bool is_next(const Array<u32> &out, u32 size, u32 times)
{
    bool good = true;
    for (u32 b = 0; b < 8; b++)
        for (u32 t = 0; t < 32; t++) {
            u32 next = b - b % size + (b % size + 1) % size;
            good = good && out.host[b * 32 + t] == (next * 32 + t) * 10 * times;
        }
    return good;
}

static void limits_are_checked()
{
    expect("a grid is a multiple of the cluster",
           launched(2, 7) == cudaErrorInvalidClusterSize &&
               launched(4, 6) == cudaErrorInvalidClusterSize &&
               launched(1, 7) == cudaSuccess);
    expect("a cluster has 1 to 8 blocks",
           launched(16, 16) == cudaErrorInvalidClusterSize &&
               launched(dim3(2, 0, 1), 8) == cudaErrorInvalidClusterSize &&
               launched(8, 8) == cudaSuccess);
    expect("clusters along other axes are not played",
           launched(dim3(2, 2, 1), dim3(4, 4, 1)) == cudaErrorNotSupported);
    Configuration eight(8, 8, 32), four(4, 8, 32);
    u32 *memory;
    CUDA(cudaMalloc(&memory, 4));
    expect("a kernel says how many blocks it takes",
           cudaLaunchKernelEx(&eight.config, at_most_four, memory) ==
                   cudaErrorInvalidClusterSize &&
               cudaGetLastError() == cudaErrorInvalidClusterSize &&
               cudaLaunchKernelEx(&four.config, at_most_four, memory) ==
                   cudaSuccess);
    CUDA(cudaFree(memory));
}

static void shared_memory_is_raised(size_t most)
{
    auto raised = [](size_t bytes) {
        cudaError_t error = cudaFuncSetAttribute(
            last_of_next, cudaFuncAttributeMaxDynamicSharedMemorySize,
            (int)bytes);
        cudaGetLastError();
        return error;
    };
    u32 size = attribute(cudaDevAttrClusterLaunch) ? 8 : 1;
    Array<u32> out(8 * 32);
    auto run = [&](size_t shared) {
        last_of_next<<<8, 32, shared>>>(out.device, (u32)(shared / 4));
        return cudaGetLastError();
    };
    expect("48 KiB unless a kernel asks",
           run(48 * kib) == cudaSuccess &&
               run(48 * kib + 4) == cudaErrorInvalidValue);
    expect("no more than the chip has",
           raised(most + 1) == cudaErrorInvalidValue &&
               raised(most) == cudaSuccess &&
               attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == (int)most);
    auto *limit = (void (*)(size_t))dlsym(RTLD_DEFAULT, "vgpu_limit_shared");
    limit(most - 1);
    expect("less if it is told to have less",
           raised(most) == cudaErrorInvalidValue &&
               raised(most - 1) == cudaSuccess &&
               attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) ==
                   (int)most - 1);
    limit(most + 1);
    expect("and never more", raised(most + 1) == cudaErrorInvalidValue &&
                                 raised(most) == cudaSuccess);
    out.host.assign(out.host.size(), 0);
    out.up();
    if (size > 1)
        launch(last_of_next, size, 8, 32, most, out.device, (u32)(most / 4));
    else
        expect("a launch with all of it", run(most) == cudaSuccess);
    out.down();
    expect("all of it is used", is_next(out, size, 1));
}

static void graphs_have_clusters()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    Array<u32> out(8 * 32);
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    Configuration c(4, 8, 32, 1024);
    c.config.stream = stream;
    CUDA(cudaLaunchKernelEx(&c.config, last_of_next, out.device, 256u));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    out.down();
    expect("a graph runs clusters", is_next(out, 4, 3));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}

/* Two blocks of 100 KiB fit a multiprocessor. */
static void occupancy_is_known()
{
    int clusters = 0, count = attribute(cudaDevAttrMultiProcessorCount);
    Configuration eight(8, 8, 256, 100 * kib), odd(8, 12, 256);
    expect("how many clusters run at once",
           cudaOccupancyMaxActiveClusters(&clusters, last_of_next,
                                          &eight.config) == cudaSuccess &&
               clusters == count * 2 / 8);
    expect(
        "of a grid that is a multiple",
        cudaOccupancyMaxActiveClusters(&clusters, last_of_next, &odd.config) ==
                cudaErrorInvalidClusterSize &&
            cudaGetLastError() == cudaErrorInvalidClusterSize);
}

static void calls_fail_when_told()
{
    auto *fail = (void (*)(unsigned long, cudaError_t))dlsym(RTLD_DEFAULT,
                                                             "vgpu_fail_call");
    Array<u32> out(8 * 32);
    Configuration c(4, 8, 32, 1024);
    int clusters = -1;
    fail(1, cudaErrorMemoryAllocation);
    cudaError_t launch =
        cudaLaunchKernelEx(&c.config, last_of_next, out.device, 256u);
    fail(1, cudaErrorMemoryAllocation);
    cudaError_t ask =
        cudaOccupancyMaxActiveClusters(&clusters, last_of_next, &c.config);
    cudaGetLastError();
    out.down();
    expect("the calls fail when told",
           launch == cudaErrorMemoryAllocation && clusters == -1 &&
               ask == cudaErrorMemoryAllocation && out.host[1] == 0);
}

/* 8 blocks of a warp, 32 words each: read and written, 4 sectors each. */
static void shared_is_no_traffic()
{
    auto *of = (vgpu_traffic(*)(const char *, const void *))dlsym(
        RTLD_DEFAULT, "vgpu_traffic_of");
    Array<u32> out(8 * 32);
    launch(last_of_next, 4, 8, 32, 1024, out.device, 256u);
    vgpu_traffic t = of(nullptr, out.device), all = of(nullptr, nullptr);
    expect("shared memory of a peer is no traffic",
           t.loads == 32 && t.stores == 32 && t.atomics == 0 &&
               all.loads == 32 && all.stores == 32);
}

int main()
{
    bool has = attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
    printf("multiprocessors %d\n", attribute(cudaDevAttrMultiProcessorCount));
    expect("whether there are clusters",
           attribute(cudaDevAttrClusterLaunch) == has &&
               attribute(cudaDevAttrComputeCapabilityMajor) == (has ? 9 : 7) &&
               attribute(cudaDevAttrComputeCapabilityMinor) == (has ? 0 : 5));
    if (getenv("VGPU_TRAFFIC") && has)
        shared_is_no_traffic();
    shared_memory_is_raised((has ? 227 : 64) * kib);
    if (has) {
        limits_are_checked();
        graphs_have_clusters();
        occupancy_is_known();
        calls_fail_when_told();
    } else {
        int clusters;
        Configuration c(1, 8, 32);
        expect("a launch of clusters is refused",
               launched(2, 8) == cudaErrorNotSupported &&
                   launched(1, 8) == cudaErrorNotSupported);
        expect("and has no occupancy", cudaOccupancyMaxActiveClusters(
                                           &clusters, last_of_next,
                                           &c.config) == cudaErrorNotSupported);
    }
    puts("done");
}
