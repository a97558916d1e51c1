/*
 * cluster_faults.cu - one kernel a fault of clusters; each must be found, at
 * its line
 *
 * As faults.cu, with clusters of two blocks of 64 threads.
 */

#include "clusters.h"

#include <cstring>

__global__ void peer_past_end(u32 *p, u32 n)
{
    __shared__ u32 a[100];
    a[threadIdx.x] = n;
    sync_cluster();
    /* FAULT peer_past_end: outside every variable */
    p[0] = mapped(a, 1)[n + threadIdx.x % 4];
    sync_cluster();
}

__global__ void peer_named(u32 *p, u32 n)
{
    __shared__ u32 a[100];
    a[threadIdx.x] = n;
    sync_cluster();
    if (blockIdx.x == 2)
        /* FAULT peer_named: in shared memory of block (3,0,0), rank 1 */
        mapped(a, 1)[n] = p[0];
    sync_cluster();
}

__global__ void peer_dynamic_past_end(u32 *p, u32 n)
{
    extern __shared__ u32 dynamic[];
    sync_cluster();
    /* FAULT peer_dynamic_past_end: outside every variable */
    mapped(dynamic, 0)[n + threadIdx.x] = p[0];
    sync_cluster();
}

__global__ void peer_unwritten(u32 *p, u32 n)
{
    __shared__ u32 a[100];
    a[threadIdx.x] = n;
    sync_cluster();
    /* FAULT peer_unwritten: read, but no thread of the block wrote it */
    p[threadIdx.x] = mapped(a, 1)[n - 1 - threadIdx.x];
    sync_cluster();
}

__global__ void peer_misaligned(u32 *p, u32 n)
{
    __shared__ u32 a[100];
    sync_cluster();
    /* FAULT peer_misaligned: misaligned access: 8 bytes */
    *(uint2 *)(mapped(a, 1) + n % 3) = make_uint2(1, p[0]);
    sync_cluster();
}

__global__ void rank_too_high(u32 *p, u32 n)
{
    __shared__ u32 a[100];
    a[threadIdx.x] = n;
    sync_cluster();
    /* FAULT rank_too_high: rank 2 of a cluster of 2 blocks */
    p[threadIdx.x] = mapped(a, n / 50)[threadIdx.x];
    sync_cluster();
}

__global__ void not_shared(u32 *p, u32 n)
{
    sync_cluster();
    /* FAULT not_shared: is not an address of the block's shared memory */
    *mapped(p, 1) = n;
    sync_cluster();
}

__global__ void arrives_twice(u32 *, u32)
{
    __cluster_barrier_arrive();
    /* FAULT arrives_twice: again, without a wait between */
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

__global__ void waits_alone(u32 *, u32)
{
    /* FAULT waits_alone: but has not arrived */
    __cluster_barrier_wait();
}

__global__ void arrives_and_exits(u32 *, u32)
{
    /* FAULT arrives_and_exits: exits after it arrived */
    __cluster_barrier_arrive();
}

__global__ void cluster_deadlock(u32 *p, u32 n)
{
    if (blockIdx.x % 2 == 0 || threadIdx.x < 16) {
        /* FAULT cluster_deadlock: wait in the cluster's barrier */
        sync_cluster();
        p[threadIdx.x] = n;
    } else {
        /* FAULT cluster_deadlock: 48 wait in a barrier */
        __syncthreads();
        p[threadIdx.x] = 2;
    }
}

__global__ void peer_not_started(u32 *p, u32 n)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = n;
    if (blockIdx.x % 2 == 0)
        /* FAULT peer_not_started: its block may not have started */
        p[0] = mapped(a, 1)[threadIdx.x];
    sync_cluster();
}

__global__ void peer_ended(u32 *p, u32 n)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = n;
    sync_cluster();
    if (blockIdx.x % 2 == 0)
        /* FAULT peer_ended: its block has ended, or may have */
        p[threadIdx.x] = mapped(a, 1)[threadIdx.x];
}

/* A barrier is after the first access, and none after the last. */
__global__ void peer_ended_later(u32 *p, u32 n)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = n;
    sync_cluster();
    u32 v = mapped(a, 1)[threadIdx.x];
    __cluster_barrier_arrive();
    if (threadIdx.x == 40)
        /* FAULT peer_ended_later: its block has ended, or may have */
        p[blockIdx.x] = v + mapped(a, 1)[threadIdx.x - 1];
    __cluster_barrier_wait();
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    Array<u32> array(100);
#define CASE(kernel)                                                           \
    if (strcmp(name, #kernel) == 0)                                            \
    launch(kernel, 2, 4, 64, 400, array.device, 100u)
    CASE(peer_past_end);
    CASE(peer_named);
    CASE(peer_dynamic_past_end);
    CASE(peer_unwritten);
    CASE(peer_misaligned);
    CASE(rank_too_high);
    CASE(not_shared);
    CASE(arrives_twice);
    CASE(waits_alone);
    CASE(arrives_and_exits);
    CASE(cluster_deadlock);
    CASE(peer_not_started);
    CASE(peer_ended);
    CASE(peer_ended_later);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s %s\n", error ? "stays" : "lost", cudaGetErrorName(error));
}
