/*
 * races.cu - one kernel a race; each must be found, at its two lines
 *
 * The argument names the case; "clean" runs what is no race, "turns" shows how
 * blocks take turns.  selftest reads from the comments RACE which words the
 * report must have; it must also name the line after each comment.
 */

#include "check.h"

#include <cstring>

__global__ void missing_barrier(u32 *p)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = 0;
    __syncthreads();
    /* RACE missing_barrier: shared memory */
    a[threadIdx.x] = threadIdx.x;
    /* RACE missing_barrier: with no barrier or __syncwarp between */
    p[threadIdx.x] = a[threadIdx.x ^ 32];
}

/* The loop's second round writes what the first may still be reading. */
__global__ void missing_second_barrier(u32 *p)
{
    __shared__ u32 sum;
    for (u32 i = 0; i < 2; i++) {
        if (threadIdx.x == i * 40)
            /* RACE missing_second_barrier: shared memory */
            sum = i;
        __syncthreads();
        /* RACE missing_second_barrier: read by thread */
        p[threadIdx.x] += sum;
    }
}

/* Shuffles give values; they order no memory. */
__global__ void missing_syncwarp(u32 *p)
{
    __shared__ u32 a[64];
    /* RACE missing_syncwarp: shared memory */
    a[threadIdx.x] = threadIdx.x;
    u32 other = __shfl_xor_sync(~0u, threadIdx.x, 1);
    /* RACE missing_syncwarp: and read with no barrier */
    p[threadIdx.x] = a[other];
}

__global__ void syncwarp_of_others(u32 *p)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = 0;
    __syncwarp();
    /* RACE syncwarp_of_others: by thread */
    a[threadIdx.x] = threadIdx.x;
    u32 half = threadIdx.x % 32 < 16 ? 0xffff : 0xffff0000;
    __syncwarp(half);
    /* RACE syncwarp_of_others: shared memory */
    p[threadIdx.x] = a[threadIdx.x ^ 16];
}

__global__ void syncwarp_between_warps(u32 *p)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = threadIdx.x;
    __syncwarp();
    /* RACE syncwarp_between_warps: shared memory */
    p[threadIdx.x] = a[threadIdx.x ^ 32];
}

__global__ void one_byte(u32 *p)
{
    __shared__ unsigned char a[64];
    a[threadIdx.x] = (unsigned char)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 5)
        /* RACE one_byte: shared memory */
        a[7] = 0;
    /* RACE one_byte: 1 bytes of shared memory */
    p[threadIdx.x] = a[threadIdx.x];
}

__global__ void same_value(u32 *p)
{
    /* RACE same_value: and written with no barrier */
    p[64] = 1;
}

__global__ void part_of_a_vector(u32 *p)
{
    if (threadIdx.x == 0)
        p[2] = 1;
    if (threadIdx.x == 63)
        /* RACE part_of_a_vector: 16 bytes of global memory */
        *(uint4 *)p = make_uint4(1, 2, 3, 4);
}

__global__ void plain_beside_atomic(u32 *p)
{
    if (threadIdx.x == 0)
        atomicAdd(p, 1u);
    if (threadIdx.x == 33)
        /* RACE plain_beside_atomic: updated by an atomic by thread (0,0,0) */
        p[0] = 7;
}

/* From here on, of two blocks. */
__global__ void blocks_write(u32 *p)
{
    __syncthreads();
    if (threadIdx.x == 0)
        /* RACE blocks_write: global memory */
        p[0] = blockIdx.x;
    __syncthreads();
}

__global__ void block_reads(u32 *p)
{
    if (threadIdx.x == blockIdx.x)
        /* RACE block_reads: global memory */
        p[blockIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        /* RACE block_reads: read by thread (0,0,0) of block (0,0,0) */
        p[8 + blockIdx.x] = p[blockIdx.x ^ 1];
}

__global__ void block_reads_sum(u32 *p)
{
    if (threadIdx.x == 0)
        /* RACE block_reads_sum: global memory */
        atomicAdd(p, 1u);
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 1)
        /* RACE block_reads_sum: updated by an atomic by thread (0,0,0) */
        p[1] = p[0];
}

__global__ void block_read_before(u32 *p)
{
    u32 before = 0;
    if (blockIdx.x == 0)
        /* RACE block_read_before: global memory */
        before = p[0];
    __syncthreads();
    if (threadIdx.x == 0)
        /* RACE block_read_before: of block (0,0,0) */
        atomicAdd(p, before + 1);
}

__global__ void ticket(u32 *p)
{
    if (threadIdx.x == 0)
        /* RACE ticket: and updated by an atomic */
        p[1 + blockIdx.x] = atomicAdd(p, 1u);
}

__global__ void blocks_exchange(u32 *p)
{
    if (threadIdx.x == 0)
        /* RACE blocks_exchange: and updated by an atomic */
        atomicExch(p, blockIdx.x);
}

__global__ void different_atomics(u32 *p)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        /* RACE different_atomics: global memory */
        atomicAdd(p, 5u);
    if (threadIdx.x == 0 && blockIdx.x == 1)
        /* RACE different_atomics: of block (1,0,0) */
        atomicMax(p, 5u);
}

__global__ void written_constant(u32 *p)
{
    /* RACE written_constant: read as a constant */
    u32 v = __ldg(p + threadIdx.x);
    __syncthreads();
    /* RACE written_constant: and written */
    p[threadIdx.x] = v + 1;
}

/* No races. */

__global__ void barriers(u32 *p)
{
    __shared__ u32 a[64];
    for (u32 i = 0; i < 3; i++) {
        a[threadIdx.x] = threadIdx.x + i;
        __syncthreads();
        p[threadIdx.x] += a[63 - threadIdx.x] + a[0];
        __syncthreads();
    }
}

__global__ void syncwarps(u32 *p)
{
    __shared__ u32 a[64];
    u32 warp = threadIdx.x / 32 * 32;
    for (u32 i = 0; i < 3; i++) {
        a[threadIdx.x] = threadIdx.x + i;
        __syncwarp();
        p[threadIdx.x] += a[threadIdx.x ^ 31] + a[warp + 3];
        __syncwarp();
    }
}

/* Lane 0 hears of lane 2's write from lane 1, and lane 3 reads late. */
__global__ void hearsay(u32 *p)
{
    __shared__ u32 a[2];
    u32 lane = threadIdx.x;
    if (lane == 2)
        a[0] = 7;
    if (lane == 1 || lane == 2)
        __syncwarp(6);
    if (lane == 0 || lane == 1)
        __syncwarp(3);
    if (lane == 0)
        p[0] = a[0];
    if (lane == 0 || lane == 3)
        __syncwarp(9);
    if (lane == 3)
        p[1] = a[0];
    if (lane == 1 || lane == 3)
        __syncwarp(10);
    if (lane == 1)
        a[0] = 8;
}

__global__ void exited_thread(u32 *p)
{
    __shared__ u32 a[64];
    a[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= 40)
        return;
    __syncthreads();
    p[threadIdx.x] = a[threadIdx.x + 24];
}

__global__ void bytes_of_a_word(u32 *p)
{
    unsigned char *bytes = (unsigned char *)p;
    bytes[blockIdx.x * 64 + threadIdx.x] = (unsigned char)threadIdx.x;
    ((unsigned char *)(p + 40))[threadIdx.x * 2 + blockIdx.x] = 3;
}

__global__ void sums(u32 *p)
{
    __shared__ u32 here;
    if (threadIdx.x == 0)
        here = 0;
    __syncthreads();
    u32 before = atomicAdd(&here, 1u);
    atomicMax(p + 1, before);
    atomicExch(p + 4 + blockIdx.x, before);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(p, here);
        p[2 + blockIdx.x] = p[4 + blockIdx.x];
    }
}

/* Tickets before and after a barrier: the next one unless another block ran in
 * between. */
__global__ void turns(u32 *p)
{
    __shared__ u32 before;
    if (threadIdx.x == 0)
        before = atomicAdd(p, 1u);
    __syncthreads();
    if (threadIdx.x == 0)
        p[1 + blockIdx.x] = atomicAdd(p, 1u) - before;
}

static void print_turns()
{
    Array<u32> array(21);
    turns<<<20, 64>>>(array.device);
    array.down();
    u32 apart = 0;
    for (u32 i = 1; i <= 20; i++)
        apart += array.host[i] != 1;
    printf("interleaved %u\n", apart);
}

static void clean()
{
    Array<u32> array(200);
    auto works = [&](const char *name, auto kernel, int blocks, int threads) {
        kernel<<<blocks, threads>>>(array.device);
        expect(name, cudaDeviceSynchronize() == cudaSuccess);
    };
    works("barriers", barriers, 1, 64);
    works("warps' barriers", syncwarps, 1, 64);
    works("barriers of parts of a warp, one after the other", hearsay, 1, 32);
    works("a thread that exited", exited_thread, 1, 64);
    works("blocks in bytes of a word", bytes_of_a_word, 2, 64);
    works("atomics", sums, 2, 64);
    works("what the launch before wrote", sums, 2, 64);
    array.down();
    expect("atomics of two launches add up", array.host[0] >= 256);
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
    Array<u32> array(100);
#define CASE(kernel, blocks, threads)                                          \
    if (strcmp(name, #kernel) == 0)                                            \
    kernel<<<blocks, threads>>>(array.device)
    CASE(missing_barrier, 1, 64);
    CASE(missing_second_barrier, 1, 64);
    CASE(missing_syncwarp, 1, 64);
    CASE(syncwarp_of_others, 1, 64);
    CASE(syncwarp_between_warps, 1, 64);
    CASE(one_byte, 1, 64);
    CASE(same_value, 1, 64);
    CASE(part_of_a_vector, 1, 64);
    CASE(plain_beside_atomic, 1, 64);
    CASE(blocks_write, 2, 32);
    CASE(block_reads, 2, 32);
    CASE(block_reads_sum, 2, 32);
    CASE(block_read_before, 2, 32);
    CASE(ticket, 2, 32);
    CASE(blocks_exchange, 2, 32);
    CASE(different_atomics, 2, 32);
    CASE(written_constant, 1, 64);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s %s\n", error ? "stays" : "lost", cudaGetErrorName(error));
}
