/*
 * faults.cu - one kernel a fault; each must be found, at its line
 *
 * The argument names the case.  selftest reads from the comments FAULT which
 * words the report must have; it must also name the line after the comment.
 */

#include "check.h"

#include <cstring>

__global__ void global_past_end(u32 *p, u32 n)
{
    /* FAULT global_past_end: past the end of an allocation */
    p[n + threadIdx.x] = 1;
}

__global__ void global_before_start(u32 *p, u32 n)
{
    /* FAULT global_before_start: global memory */
    p[n] = *(p - 1);
}

__global__ void global_freed(u32 *p, u32 n)
{
    /* FAULT global_freed: bytes into freed memory of 400 bytes */
    p[n - 1] += n;
}

__global__ void global_null(u32 *p, u32 n)
{
    /* FAULT global_null: a null pointer */
    p[n - 100] = n;
}

__global__ void global_of_host(u32 *p, u32 n)
{
    /* FAULT global_of_host: not an address of device memory */
    p[0] = n;
}

__global__ void global_misaligned(u32 *p, u32 n)
{
    uint4 *q = (uint4 *)(p + n % 3);
    /* FAULT global_misaligned: misaligned access: 16 bytes */
    *q = make_uint4(1, 2, 3, 4);
}

__global__ void atomic_past_end(u32 *p, u32 n)
{
    /* FAULT atomic_past_end: past the end of an allocation */
    atomicAdd(p + n, 1u);
}

__global__ void shared_past_end(u32 *p, u32 n)
{
    __shared__ u32 a[100];
    __shared__ u32 b[100];
    b[threadIdx.x] = n;
    /* FAULT shared_past_end: outside every variable */
    a[n + threadIdx.x] = 3;
    __syncthreads();
    p[threadIdx.x] = a[31 - threadIdx.x] + b[31 - threadIdx.x];
}

__global__ void dynamic_past_end(u32 *p, u32 n)
{
    extern __shared__ u32 dynamic[];
    /* FAULT dynamic_past_end: outside every variable */
    dynamic[n + threadIdx.x] = 3;
    __syncthreads();
    p[threadIdx.x] = dynamic[n + 31 - threadIdx.x];
}

__global__ void shared_unwritten(u32 *p, u32 n)
{
    __shared__ u32 a[100];
    if (threadIdx.x < n - 70)
        a[threadIdx.x] = n;
    __syncthreads();
    /* FAULT shared_unwritten: read, but no thread of the block wrote it */
    p[threadIdx.x] = a[threadIdx.x];
}

__global__ void local_past_end(u32 *p, u32 n)
{
    u32 a[10];
    for (u32 i = 0; i < 10; i++)
        a[i] = p[i];
    /* FAULT local_past_end: local memory */
    p[0] = a[n - p[50]];
}

__global__ void division_by_zero(u32 *p, u32 n)
{
    /* FAULT division_by_zero: integer division by zero */
    p[0] = n / p[1];
}

__global__ void barrier_deadlock(u32 *p, u32 n)
{
    if (threadIdx.x < 16) {
        /* FAULT barrier_deadlock: deadlock */
        __syncthreads();
        p[threadIdx.x] = n;
    } else {
        __syncwarp();
        p[threadIdx.x] = 2;
    }
}

__global__ void outside_own_mask(u32 *p, u32 n)
{
    /* FAULT outside_own_mask: lane outside its own member mask 0xffff */
    p[threadIdx.x] = __shfl_sync(0xffff, n, 3);
}

__global__ void lane_exited(u32 *p, u32 n)
{
    if (threadIdx.x == 5)
        return;
    /* FAULT lane_exited: 0xffffffff */
    p[threadIdx.x] = __ballot_sync(~0u, p[threadIdx.x] == n);
}

__global__ void lane_missing(u32 *p, u32 n)
{
    /* FAULT lane_missing: names a lane that has exited or does not exist */
    p[threadIdx.x] = __shfl_xor_sync(~0u, n, 1);
}

__global__ void different_operations(u32 *p, u32 n)
{
    u32 r;
    if (p[threadIdx.x] < n && threadIdx.x % 2)
        r = __shfl_sync(~0u, n, 3);
    else
        /* FAULT different_operations: meet in different operations */
        r = __ballot_sync(~0u, n == 3);
    p[threadIdx.x] = r;
}

__global__ void shuffle_source(u32 *p, u32 n)
{
    if (threadIdx.x < 16)
        /* FAULT shuffle_source: from a lane outside the member mask */
        p[threadIdx.x] = __shfl_sync(0xffff, n, 20);
}

__global__ void trapped(u32 *p, u32 n)
{
    if (p[threadIdx.x] < n)
        /* FAULT trapped: trap */
        __trap();
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    Array<u32> array(100);
    u32 *p = array.device, on_host = 0;
#define CASE(kernel, pointer, shared)                                          \
    if (strcmp(name, #kernel) == 0)                                            \
    kernel<<<1, threads, shared>>>(pointer, 100)
    int threads = strcmp(name, "lane_missing") == 0 ? 20 : 32;
    CASE(global_past_end, p, 0);
    CASE(global_before_start, p, 0);
    if (strcmp(name, "global_freed") == 0) {
        u32 *freed;
        CUDA(cudaMalloc(&freed, 400));
        CUDA(cudaFree(freed));
        CASE(global_freed, freed, 0);
    }
    CASE(global_null, nullptr, 0);
    CASE(global_of_host, &on_host, 0);
    CASE(global_misaligned, p, 0);
    CASE(atomic_past_end, p, 0);
    CASE(shared_past_end, p, 0);
    CASE(dynamic_past_end, p, 400 + 64);
    CASE(shared_unwritten, p, 0);
    CASE(local_past_end, p, 0);
    CASE(division_by_zero, p, 0);
    CASE(barrier_deadlock, p, 0);
    CASE(outside_own_mask, p, 0);
    CASE(lane_exited, p, 0);
    CASE(lane_missing, p, 0);
    CASE(different_operations, p, 0);
    CASE(shuffle_source, p, 0);
    CASE(trapped, p, 0);

    /* The error stays, whatever is called. */
    cudaError_t error = cudaDeviceSynchronize();
    void *q;
    bool stays = error != cudaSuccess && cudaMalloc(&q, 4) == error &&
                 cudaGetLastError() == error && cudaGetLastError() == error;
    printf("%s %s\n", stays ? "stays" : "lost", cudaGetErrorName(error));
}
