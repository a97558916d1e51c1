/*
 * memory.cu - loads and stores of every width and space, atomics, variables
 */

#include "check.h"

#include <algorithm>
#include <numeric>

__constant__ u32 table[4] = {10, 20, 30, 40};
__device__ u32 counter = 5;
__device__ u64 written[3];

__global__ void vectors_kernel(const uint4 *in, uint4 *out, const uint2 *in2,
                               const ushort4 *in3, const uchar4 *in4)
{
    u32 i = threadIdx.x;
    uint4 v = in[i];
    uint2 w = __ldg(in2 + i);
    ushort4 s = __ldcs(in3 + i);
    uchar4 c = in4[i];
    v.x += w.x + s.x;
    v.y += w.y + s.y + c.x;
    v.z += s.z + c.y;
    v.w += s.w + c.z + c.w;
    __stcs(out + i, v);
}

static void vector_loads_read_each_part()
{
    constexpr u32 n = 64;
    std::vector<uint4> a(n);
    std::vector<uint2> b(n);
    std::vector<ushort4> c(n);
    std::vector<uchar4> d(n);
    for (u32 i = 0; i < n; i++) {
        a[i] = {i, i * 3, i * 5, i * 7};
        b[i] = {i * 11, i * 13};
        c[i] = {(unsigned short)(i * 1009), 2, (unsigned short)(60000 + i), 4};
        d[i] = {(unsigned char)(i * 5), 200, 3, (unsigned char)(255 - i)};
    }
    Array<uint4> da(a), out(n);
    Array<uint2> db(b);
    Array<ushort4> dc(c);
    Array<uchar4> dd(d);
    vectors_kernel<<<1, n>>>(da.device, out.device, db.device, dc.device,
                             dd.device);
    out.down();
    bool good = true;
    for (u32 i = 0; i < n; i++) {
        const uint4 &v = out.host[i];
        good &= v.x == a[i].x + b[i].x + c[i].x;
        good &= v.y == a[i].y + b[i].y + c[i].y + d[i].x;
        good &= v.z == a[i].z + c[i].z + d[i].y;
        good &= v.w == a[i].w + c[i].w + d[i].z + d[i].w;
    }
    expect("vector loads and stores", good);
}

__global__ void atomics_kernel(u64 *sum, u32 *words, int *low, u32 *histogram)
{
    __shared__ u32 bins[8];
    __shared__ int lowest;
    u32 i = threadIdx.x;
    if (i < 8)
        bins[i] = 0;
    if (i == 0)
        lowest = 1000;
    __syncthreads();
    atomicAdd(&bins[i * i % 8], 1u);
    atomicMin(&lowest, 500 - (int)i * 3);
    u64 old = atomicAdd(sum, (u64)i << 30);
    atomicMax(words, i * 7919 % 1000);
    atomicMin(words + 1, i * 7919 % 1000);
    atomicOr(words + 2, 1u << i % 32);
    atomicAnd(words + 3, ~(1u << i % 16));
    atomicXor(words + 4, i);
    if (atomicExch(words + 5, i + 1) == 0)
        atomicAdd(words + 6, 1u);
    atomicCAS(words + 7, 0u, i + 100);
    if (old > ~0ull >> 1)
        atomicAdd(words + 8, 1u);
    atomicInc(words + 9, 9);
    __syncthreads();
    if (i < 8)
        histogram[i] = bins[i];
    if (i == 0)
        *low = lowest;
}

static void atomics_add_up()
{
    constexpr u32 n = 256;
    Array<u64> sum(1);
    Array<u32> words(std::vector<u32>{0, 9999, 0, ~0u, 0, 0, 0, 0, 0, 0});
    Array<u32> histogram(8);
    Array<int> low(1);
    atomics_kernel<<<1, n>>>(sum.device, words.device, low.device,
                             histogram.device);
    sum.down(), words.down(), histogram.down(), low.down();
    u32 highest = 0, lowest = 9999, folded = 0, bins[8] = {0};
    for (u32 i = 0; i < n; i++) {
        highest = std::max(highest, i * 7919 % 1000);
        lowest = std::min(lowest, i * 7919 % 1000);
        folded ^= i;
        bins[i * i % 8]++;
    }
    const std::vector<u32> &w = words.host;
    expect("64-bit atomic sum", sum.host[0] == (u64)(n * (n - 1) / 2) << 30);
    expect("32-bit atomics", w[0] == highest && w[1] == lowest && w[2] == ~0u &&
                                 w[3] == 0xffff0000 && w[4] == folded &&
                                 w[5] > 0 && w[6] == 1 && w[7] >= 100 &&
                                 w[8] == 0 && w[9] == n % 10);
    expect("shared atomics",
           std::equal(bins, bins + 8, histogram.host.begin()) &&
               low.host[0] == 500 - 3 * 255);
}

__global__ void variables_kernel(u32 *out)
{
    u32 i = threadIdx.x;
    out[i] = table[i] + atomicAdd(&counter, 1u) * 0;
    if (i < 3)
        written[i] = (u64)i << 40 | 7;
}

static void variables_are_reached_from_both_sides()
{
    Array<u32> out(4);
    variables_kernel<<<1, 4>>>(out.device);
    out.down();
    bool good = out.host == std::vector<u32>{10, 20, 30, 40};
    const u32 other[2] = {7, 8};
    CUDA(cudaMemcpyToSymbol(table, other, sizeof other, 4));
    variables_kernel<<<1, 4>>>(out.device);
    out.down();
    good &= out.host == std::vector<u32>{10, 7, 8, 40};
    u32 count = 0;
    CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    expect("variables keep their initial values", count == 5 + 8);
    u64 values[3];
    CUDA(cudaMemcpyFromSymbol(values, written, sizeof values));
    good &= values[2] == (2ull << 40 | 7);
    expect("variables are read and written by both sides", good);
}

__global__ void dynamic_kernel(const u32 *in, u32 *out, u32 count)
{
    extern __shared__ u32 buffer[];
    __shared__ u32 total;
    u32 i = threadIdx.x;
    if (i == 0)
        total = 0;
    for (u32 k = i; k < count; k += blockDim.x)
        buffer[k] = in[k];
    __syncthreads();
    for (u32 k = i; k < count; k += blockDim.x)
        out[k] = buffer[count - 1 - k];
    atomicAdd(&total, 1u);
    __syncthreads();
    if (i == 0)
        out[count] = total;
}

static void dynamic_shared_memory_is_as_large_as_asked()
{
    constexpr u32 n = 12288 + 1000; /* more than 48 KiB */
    std::vector<u32> values(n);
    std::iota(values.begin(), values.end(), 17);
    Array<u32> in(values), out(n + 1);
    dynamic_kernel<<<1, 128, n * 4>>>(in.device, out.device, n);
    expect("48 KiB is the most without asking",
           cudaGetLastError() == cudaErrorInvalidValue);
    CUDA(cudaFuncSetAttribute(
        dynamic_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4));
    dynamic_kernel<<<1, 128, n * 4>>>(in.device, out.device, n);
    CUDA(cudaGetLastError());
    out.down();
    bool good = out.host[n] == 128;
    for (u32 i = 0; i < n; i++)
        good &= out.host[i] == values[n - 1 - i];
    expect("dynamic shared memory", good);
}

struct Large {
    u32 values[20];
    const u32 *more;
};

/* The array is indexed at run time, so it lies in local memory. */
__global__ void local_kernel(__grid_constant__ const Large large, u32 *out)
{
    __shared__ u32 shared[32];
    u32 local[24], i = threadIdx.x;
    for (u32 k = 0; k < 24; k++)
        local[k] = large.values[(k + i) % 20] * k;
    shared[i] = i * 100;
    __syncwarp();
    u32 *either = out[i] & 1 ? local : shared;
    out[i] = local[(i * 7) % 24] + either[i % 16] + large.more[i];
}

static void local_and_generic_memory()
{
    Large large;
    std::vector<u32> more(32), choice(32);
    for (u32 i = 0; i < 32; i++)
        more[i] = i * 1000000, choice[i] = i / 3;
    for (u32 k = 0; k < 20; k++)
        large.values[k] = k * k + 1;
    Array<u32> d_more(more), out(choice);
    large.more = d_more.device;
    local_kernel<<<1, 32>>>(large, out.device);
    out.down();
    bool good = true;
    for (u32 i = 0; i < 32; i++) {
        u32 local[24];
        for (u32 k = 0; k < 24; k++)
            local[k] = large.values[(k + i) % 20] * k;
        u32 either = choice[i] & 1 ? local[i % 16] : i % 16 * 100;
        good &= out.host[i] == local[i * 7 % 24] + either + more[i];
    }
    expect("local, generic and parameter memory", good);
}

/* The last block to finish adds up what the others left. */
__global__ void last_block_kernel(u32 *parts, u32 *done, u32 *total)
{
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        if (atomicAdd(done, 1u) == gridDim.x - 1) {
            u32 sum = 0;
            for (u32 i = 0; i < gridDim.x; i++)
                sum += *(volatile u32 *)(parts + i);
            *total = sum;
        }
    }
}

static void the_last_block_sees_all()
{
    Array<u32> parts(100), done(1), total(1);
    last_block_kernel<<<100, 32>>>(parts.device, done.device, total.device);
    total.down();
    expect("the last block sees what the others wrote", total.host[0] == 5050);
}

int main()
{
    vector_loads_read_each_part();
    atomics_add_up();
    variables_are_reached_from_both_sides();
    dynamic_shared_memory_is_as_large_as_asked();
    local_and_generic_memory();
    the_last_block_sees_all();
    puts("done");
}
