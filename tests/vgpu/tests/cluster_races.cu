/*
 * cluster_races.cu - one kernel a race of a cluster's blocks; each must be
 * found, at its two lines
 *
 * As races.cu, with clusters of two blocks of 64 threads, two of them; without
 * an argument it runs what is no race; "turns" shows how clusters take turns.
 */

#include "clusters.h"

#include <cstring>

__device__ u32 rank_here()
{
    return __clusterRelativeBlockRank();
}

__global__ void missing_barrier(u32 *p)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = 0;
    sync_cluster();
    /* RACE missing_barrier: shared memory */
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    /* RACE missing_barrier: with no barrier of the cluster between */
    p[blockIdx.x * 64 + threadIdx.x] += mapped(a, rank_here() ^ 1)[threadIdx.x];
    sync_cluster();
}

/* The owner may write while the other one still reads. */
__global__ void missing_second_barrier(u32 *p)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = threadIdx.x;
    sync_cluster();
    /* RACE missing_second_barrier: shared memory */
    u32 v = mapped(a, rank_here() ^ 1)[threadIdx.x];
    __syncthreads();
    /* RACE missing_second_barrier: with no barrier of the cluster between */
    a[threadIdx.x] = v;
    sync_cluster();
    p[blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x];
}

__global__ void both_write(u32 *p)
{
    __shared__ u32 a[64];
    sync_cluster();
    if (threadIdx.x == 7)
        /* RACE both_write: written with no barrier of the cluster between */
        mapped(a, 0)[5] = rank_here();
    sync_cluster();
    p[blockIdx.x * 64] = 1;
}

__global__ void relaxed_arrival(u32 *p)
{
    __shared__ u32 a[64];
    /* RACE relaxed_arrival: shared memory */
    a[threadIdx.x] = threadIdx.x;
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
    /* RACE relaxed_arrival: with no barrier of the cluster between */
    p[blockIdx.x * 64 + threadIdx.x] += mapped(a, rank_here() ^ 1)[threadIdx.x];
    sync_cluster();
}

/* Nor does it order the threads of one block. */
__global__ void relaxed_in_block(u32 *p)
{
    __shared__ u32 a[64];
    /* RACE relaxed_in_block: shared memory */
    a[threadIdx.x] = threadIdx.x;
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
    /* RACE relaxed_in_block: with no barrier or __syncwarp between */
    p[blockIdx.x * 64 + threadIdx.x] += a[threadIdx.x ^ 32];
}

/* One thread's arrival is relaxed, and what it wrote is read. */
__global__ void one_is_relaxed(u32 *p)
{
    __shared__ u32 a[64];
    __syncthreads();
    /* RACE one_is_relaxed: by thread (0,0,0) */
    a[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        __cluster_barrier_arrive_relaxed();
    else
        __cluster_barrier_arrive();
    __cluster_barrier_wait();
    /* RACE one_is_relaxed: with no barrier of the cluster between */
    p[blockIdx.x * 64 + threadIdx.x] += mapped(a, rank_here() ^ 1)[threadIdx.x];
    sync_cluster();
}

/* All read, one of them with a relaxed arrival. */
__global__ void relaxed_reader(u32 *p)
{
    __shared__ u32 a;
    if (threadIdx.x == 0)
        a = 1;
    sync_cluster();
    /* RACE relaxed_reader: read by thread */
    u32 v = *mapped(&a, 0);
    if (threadIdx.x == 37)
        __cluster_barrier_arrive_relaxed();
    else
        __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (threadIdx.x == 0 && rank_here() == 0)
        /* RACE relaxed_reader: and written with no barrier */
        a = 2;
    sync_cluster();
    p[blockIdx.x * 64 + threadIdx.x] = v;
}

__global__ void write_after_arrival(u32 *p)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = 0;
    __cluster_barrier_arrive();
    /* RACE write_after_arrival: shared memory */
    a[threadIdx.x] = threadIdx.x;
    __cluster_barrier_wait();
    /* RACE write_after_arrival: with no barrier of the cluster between */
    p[blockIdx.x * 64 + threadIdx.x] += mapped(a, rank_here() ^ 1)[threadIdx.x];
    sync_cluster();
}

/* Reads of both warps come before the arrival, and one more after it, which the
 * write may meet. */
__global__ void late_read(u32 *p)
{
    __shared__ u32 a;
    if (threadIdx.x == 0)
        a = 1;
    sync_cluster();
    u32 *first = mapped(&a, 0), sum = *first;
    __cluster_barrier_arrive();
    if (threadIdx.x == 40)
        /* RACE late_read: by thread (40,0,0) */
        sum += *(volatile u32 *)first;
    __cluster_barrier_wait();
    if (threadIdx.x == 0 && rank_here() == 0)
        /* RACE late_read: shared memory */
        a = 2;
    sync_cluster();
    p[blockIdx.x * 64 + threadIdx.x] = sum;
}

/* The owner's read comes before its write, the other one's does not. */
__global__ void read_by_two(u32 *p)
{
    __shared__ u32 a;
    u32 v = 0;
    if (threadIdx.x == 0)
        a = 1;
    sync_cluster();
    if (threadIdx.x == 5 && rank_here() == 0)
        v = a;
    sync_cluster();
    if (threadIdx.x == 5 && rank_here() == 1)
        /* RACE read_by_two: with no barrier of the cluster between */
        v = *mapped(&a, 0);
    if (threadIdx.x == 5 && rank_here() == 0)
        /* RACE read_by_two: shared memory */
        a = v + 1;
    sync_cluster();
    p[blockIdx.x * 64 + threadIdx.x] = v;
}

__global__ void global_of_peer(u32 *p)
{
    /* RACE global_of_peer: global memory */
    p[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __syncthreads();
    /* RACE global_of_peer: with no barrier of the cluster between */
    u32 v = p[(blockIdx.x ^ 1) * 64 + threadIdx.x];
    sync_cluster();
    p[256 + blockIdx.x * 64 + threadIdx.x] = v;
}

__global__ void global_of_another_cluster(u32 *p)
{
    sync_cluster();
    /* RACE global_of_another_cluster: race: */
    p[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    sync_cluster();
    /* RACE global_of_another_cluster: global memory */
    u32 v = p[(blockIdx.x ^ 2) * 64 + threadIdx.x];
    sync_cluster();
    p[256 + blockIdx.x * 64 + threadIdx.x] = v;
}

__global__ void tickets_of_clusters(u32 *p)
{
    sync_cluster();
    if (threadIdx.x == 0)
        /* RACE tickets_of_clusters: and updated by an atomic */
        p[1 + blockIdx.x] = atomicAdd(p, 1u);
}

__global__ void plain_beside_atomic(u32 *p)
{
    __shared__ u32 sum;
    if (threadIdx.x == 0)
        sum = 0;
    sync_cluster();
    if (threadIdx.x == 3)
        /* RACE plain_beside_atomic: updated by an atomic */
        atomicAdd(mapped(&sum, 1), 1u);
    if (rank_here() == 1 && threadIdx.x == 60)
        /* RACE plain_beside_atomic: shared memory */
        p[blockIdx.x] = sum;
    sync_cluster();
}

/* No races. */

__global__ void rounds(u32 *p)
{
    __shared__ u32 a[64], common;
    u32 sum = 0, peer = rank_here() ^ 1, *global = p + 4096 + blockIdx.x * 64;
    for (u32 i = 0; i < 4; i++) {
        a[threadIdx.x] = i;
        global[threadIdx.x] = i;
        if (threadIdx.x == i * 20)
            common = i;
        sync_cluster();
        sum += mapped(a, peer)[threadIdx.x ^ 33] + a[63 - threadIdx.x];
        sum += *mapped(&common, 0) + *mapped(&common, 1);
        sum += p[4096 + (blockIdx.x ^ 1) * 64 + (threadIdx.x ^ 35)];
        sync_cluster();
    }
    p[blockIdx.x * 64 + threadIdx.x] = sum;
}

/* What one round told is known after the next ones, and in all threads of the
 * block after its barrier. */
__global__ void hearsay(u32 *p)
{
    __shared__ u32 a[64], b;
    a[threadIdx.x] = 1;
    if (threadIdx.x == 33)
        b = 5;
    sync_cluster();
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
    __syncthreads();
    p[blockIdx.x * 64 + threadIdx.x] += mapped(a, rank_here() ^ 1)[threadIdx.x];
    sync_cluster();
    if (threadIdx.x == 2 && rank_here() == 1)
        *mapped(&b, 0) = 6;
    sync_cluster();
}

/* The block's barrier is before an arrival that tells of all. */
__global__ void one_tells(u32 *p)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 5)
        __cluster_barrier_arrive();
    else
        __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
    p[blockIdx.x * 64 + threadIdx.x] += mapped(a, rank_here() ^ 1)[threadIdx.x];
    sync_cluster();
}

/* Thread 0 waits, the others hear of it by a barrier of the block or a
 * __syncwarp, and wait later. */
__global__ void one_waits(u32 *p)
{
    __shared__ u32 a[64];
    u32 peer = rank_here() ^ 1, lane = threadIdx.x % 32, v = 0;
    sync_cluster();
    a[threadIdx.x] = threadIdx.x;
    __cluster_barrier_arrive();
    if (threadIdx.x == 0)
        __cluster_barrier_wait();
    __syncthreads();
    v += mapped(a, peer)[threadIdx.x];
    if (threadIdx.x != 0)
        __cluster_barrier_wait();
    sync_cluster();
    a[threadIdx.x] = v;
    __cluster_barrier_arrive();
    if (lane == 0)
        __cluster_barrier_wait();
    __syncwarp();
    v += mapped(a, peer)[threadIdx.x];
    if (lane != 0)
        __cluster_barrier_wait();
    sync_cluster();
    p[blockIdx.x * 64 + threadIdx.x] = v;
}

__global__ void work_while_waiting(u32 *p)
{
    __shared__ u32 a[64], b[64];
    a[threadIdx.x] = threadIdx.x;
    __cluster_barrier_arrive();
    b[threadIdx.x] = 2;
    __syncthreads();
    u32 sum = b[threadIdx.x ^ 40];
    __cluster_barrier_wait();
    sum += mapped(a, rank_here() ^ 1)[threadIdx.x];
    sync_cluster();
    sum += mapped(b, rank_here() ^ 1)[threadIdx.x];
    p[blockIdx.x * 64 + threadIdx.x] = sum;
    sync_cluster();
}

/* Tickets of one cluster, and sums of all. */
__global__ void atomics(u32 *p)
{
    __shared__ u32 ticket;
    if (threadIdx.x == 0)
        ticket = 0;
    sync_cluster();
    u32 mine = atomicAdd(mapped(&ticket, 0), 1u);
    p[blockIdx.x / 2 * 128 + mine] = blockIdx.x;
    atomicMax(p + 4000, mine);
    sync_cluster();
    if (rank_here() == 0 && threadIdx.x == 9)
        p[4001 + blockIdx.x] = ticket + p[blockIdx.x / 2 * 128 + 127];
}

__global__ void exited_threads(u32 *p)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= 40)
        return;
    sync_cluster();
    p[blockIdx.x * 64 + threadIdx.x] =
        mapped(a, rank_here() ^ 1)[threadIdx.x + 24];
    sync_cluster();
}

/* Tickets of a cluster before and after its barrier: the next one unless
 * another cluster ran in between. */
__global__ void turns(u32 *p)
{
    bool first = threadIdx.x == 0 && rank_here() == 0;
    u32 before = 0;
    if (first)
        before = atomicAdd(p, 1u);
    sync_cluster();
    if (first)
        p[1 + blockIdx.x / 2] = atomicAdd(p, 1u) - before;
}

static void print_turns()
{
    Array<u32> array(21);
    launch(turns, 2, 40, 64, 0, array.device);
    array.down();
    u32 apart = 0;
    for (u32 i = 1; i <= 20; i++)
        apart += array.host[i] != 1;
    printf("interleaved %u\n", apart);
}

static void clean()
{
    Array<u32> array(8192);
    auto works = [&](const char *name, auto kernel) {
        launch(kernel, 2, 4, 64, 0, array.device);
        expect(name, cudaDeviceSynchronize() == cudaSuccess);
    };
    works("rounds", rounds);
    works("what was told before", hearsay);
    works("a block's barrier, and one that tells of it", one_tells);
    works("who waits for others of the block", one_waits);
    works("work between arrival and wait", work_while_waiting);
    works("atomics of a cluster", atomics);
    works("threads that exited", exited_threads);
    works("what the launch before wrote", rounds);
    puts("done");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "clean";
    if (strcmp(name, "clean") == 0) {
        clean();
        return 0;
    }
    if (strcmp(name, "turns") == 0) {
        print_turns();
        return 0;
    }
    Array<u32> array(1000);
#define CASE(kernel)                                                           \
    if (strcmp(name, #kernel) == 0)                                            \
    launch(kernel, 2, 4, 64, 0, array.device)
    CASE(missing_barrier);
    CASE(missing_second_barrier);
    CASE(both_write);
    CASE(relaxed_arrival);
    CASE(relaxed_in_block);
    CASE(one_is_relaxed);
    CASE(relaxed_reader);
    CASE(write_after_arrival);
    CASE(late_read);
    CASE(read_by_two);
    CASE(global_of_peer);
    CASE(global_of_another_cluster);
    CASE(tickets_of_clusters);
    CASE(plain_beside_atomic);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s %s\n", error ? "stays" : "lost", cudaGetErrorName(error));
}
