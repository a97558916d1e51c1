/*
 * clusters.cu - blocks of a cluster: their numbers, barriers and shared memory
 *
 * Known answers, in every order of threads and blocks.  Built for compute_90
 * alone; selftest's faults and races have what must be found.
 */

#include "clusters.h"

struct tables {
    u32 bins[64];
    u64 sum;
    float x[4];
    uint8_t byte;
};

/* Every block fills its tables, and reads those of all. */
__global__ void read_peers(u32 *out, u32 n)
{
    __shared__ tables s;
    extern __shared__ float4 dynamic[];
    u32 rank = __clusterRelativeBlockRank(), size = __clusterSizeInBlocks();
    s.bins[threadIdx.x] = threadIdx.x * n + rank;
    dynamic[threadIdx.x] = make_float4(1, (float)rank, 3, (float)threadIdx.x);
    if (threadIdx.x == 0) {
        s.sum = (u64)n << 33 | rank;
        s.x[1] = .5f;
        s.byte = (uint8_t)(200 + rank);
    }
    sync_cluster();
    u32 sum = 0;
    for (u32 r = 0; r < size; r++) {
        const tables *p = mapped(&s, r);
        const float4 *q = mapped(dynamic, r);
        sum += p->bins[63 - threadIdx.x] + (u32)(p->sum >> 33) + p->byte;
        sum += (u32)(q[threadIdx.x].y + q[threadIdx.x].w + 2 * p->x[1]);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    sync_cluster();
}

/* Every thread adds to the tables of rank 0, and writes a word of the next. */
__global__ void write_peers(u32 *out, u32 n)
{
    __shared__ u32 counts[4];
    __shared__ u64 most;
    __shared__ u32 words[64];
    u32 rank = __clusterRelativeBlockRank(), size = __clusterSizeInBlocks();
    if (threadIdx.x < 4)
        counts[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        most = 0;
    sync_cluster();
    u32 *first = mapped(counts, 0);
    atomicAdd(first + threadIdx.x % 4, rank + n);
    atomicMax(mapped(&most, 0), (u64)rank << 40 | threadIdx.x);
    mapped(words, (rank + 1) % size)[threadIdx.x] = rank * 100 + threadIdx.x;
    sync_cluster();
    u32 *own = out + blockIdx.x * 70;
    own[threadIdx.x] = words[threadIdx.x];
    if (threadIdx.x < 4)
        own[64 + threadIdx.x] = counts[threadIdx.x];
    if (threadIdx.x == 0) {
        own[68] = (u32)(most >> 40);
        own[69] = (u32)most;
    }
}

__global__ void numbers(u32 *out, u32)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x * 2] = __clusterRelativeBlockRank();
        out[blockIdx.x * 2 + 1] = __clusterSizeInBlocks();
    }
}

/* Two lists in global memory, exchanged between the blocks at each round; some
 * threads leave before the end, and count as arrived. */
__global__ void exchange_global(u32 *out, u32 rounds)
{
    u32 size = __clusterSizeInBlocks(), rank = __clusterRelativeBlockRank();
    u32 *base = out + (blockIdx.x - rank) * 128, i = threadIdx.x;
    base[rank * 64 + i] = rank + i;
    if (i >= 60)
        return;
    for (u32 round = 0; round < rounds; round++) {
        sync_cluster();
        u32 from = round % 2 * size * 64, to = size * 64 - from;
        u32 value = base[from + (rank + 1) % size * 64 + i];
        base[to + rank * 64 + i] = value + 1;
        if (round % 2)
            __syncthreads();
    }
}

static void peers_are_read(u32 size)
{
    const u32 blocks = 8, n = 7;
    Array<u32> out(blocks * 64);
    launch(read_peers, size, blocks, 64, 64 * 16, out.device, n);
    out.down();
    bool good = true;
    for (u32 b = 0; b < blocks; b++)
        for (u32 t = 0; t < 64; t++) {
            u32 sum = 0;
            for (u32 r = 0; r < size; r++)
                sum += (63 - t) * n + r + n + 200 + r + r + t + 1;
            good = good && out.host[b * 64 + t] == sum;
        }
    expect_of(size, "shared memory of other blocks is read", good);
}

static void peers_are_written(u32 size)
{
    const u32 blocks = 16, n = 3;
    Array<u32> out(blocks * 70);
    launch(write_peers, size, blocks, 64, 0, out.device, n);
    out.down();
    bool good = true;
    for (u32 b = 0; b < blocks; b++) {
        const u32 *own = &out.host[b * 70];
        u32 rank = b % size, from = (rank + size - 1) % size;
        for (u32 t = 0; t < 64; t++)
            good = good && own[t] == from * 100 + t;
        u32 sum = 16 * (size * (size - 1) / 2 + size * n);
        for (u32 i = 0; i < 4; i++)
            good = good && own[64 + i] == (rank ? 0 : sum);
        good = good && own[68] == (rank ? 0 : size - 1);
        good = good && own[69] == (rank ? 0u : 63u);
    }
    expect_of(size, "and written, and added to", good);
}

static void numbers_are_known(u32 size)
{
    Array<u32> out(32);
    launch(numbers, size, 16, 32, 0, out.device, 0u);
    out.down();
    bool good = true;
    for (u32 b = 0; b < 16; b++)
        good =
            good && out.host[b * 2] == b % size && out.host[b * 2 + 1] == size;
    expect_of(size, "a block knows its rank and how many there are", good);
}

static void global_memory_is_exchanged(u32 size)
{
    const u32 blocks = 16, rounds = 5;
    Array<u32> out(blocks * 128);
    launch(exchange_global, size, blocks, 64, 0, out.device, rounds);
    out.down();
    bool good = true;
    for (u32 b = 0; b < blocks; b++)
        for (u32 t = 0; t < 60; t++) {
            u32 rank = b % size, first = b - rank;
            u32 last = out.host[first * 128 + (size + rank) * 64 + t];
            good = good && last == (rank + rounds) % size + t + rounds;
        }
    expect_of(size, "global memory is exchanged at barriers", good);
}

int main()
{
    for (u32 size : {1, 2, 4, 8}) {
        peers_are_read(size);
        peers_are_written(size);
        numbers_are_known(size);
        global_memory_is_exchanged(size);
    }
    puts("done");
}
