/*
 * collectives.cu - barriers and warp collectives, whole and partial masks
 */

#include "check.h"

#include <algorithm>

__global__ void barriers_kernel(const u32 *in, u32 *out)
{
    __shared__ u32 values[1024];
    u32 i = threadIdx.x, n = blockDim.x;
    values[i] = in[i];
    for (u32 step = 1; step < n; step *= 2) { /* an inclusive scan */
        __syncthreads();
        u32 add = i >= step ? values[i - step] : 0;
        __syncthreads();
        values[i] += add;
    }
    out[i] = values[i];
    out[n + i] = (u32)__syncthreads_count(in[i] % 3 == 0);
    out[2 * n + i] = (u32)(__syncthreads_and(in[i] < 1000) != 0) +
                     2 * (u32)(__syncthreads_or(in[i] == 999) != 0) +
                     4 * (u32)(__syncthreads_and(in[i] < 500) != 0) +
                     8 * (u32)(__syncthreads_or(in[i] == 1000) != 0);
}

static void barriers_hold_the_whole_block(u32 n)
{
    std::vector<u32> values(n);
    Random random;
    for (u32 &v : values)
        v = random() % 1000;
    values[n / 2] = 999;
    Array<u32> in(values), out(3 * n);
    barriers_kernel<<<1, n>>>(in.device, out.device);
    out.down();
    bool good = true;
    u32 sum = 0;
    u32 thirds = (u32)std::count_if(values.begin(), values.end(),
                                    [](u32 v) { return v % 3 == 0; });
    for (u32 i = 0; i < n; i++) {
        sum += values[i];
        good &= out.host[i] == sum && out.host[n + i] == thirds;
        good &= out.host[2 * n + i] == 3;
    }
    expect("barriers", good);
}

__global__ void exit_kernel(u32 *out)
{
    __shared__ u32 total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    if (threadIdx.x >= 40)
        return;
    atomicAdd(&total, 1u);
    __syncthreads();
    out[threadIdx.x] = total;
}

static void an_exited_thread_holds_up_no_barrier()
{
    Array<u32> out(40);
    exit_kernel<<<1, 100>>>(out.device);
    out.down();
    expect("an exited thread holds up no barrier",
           out.host == std::vector<u32>(40, 40));
}

__global__ void shuffles_kernel(u64 *out)
{
    u32 lane = threadIdx.x % 32;
    u64 v = (u64)threadIdx.x << 35 | (threadIdx.x * 3 + 1);
    u64 *r = out + threadIdx.x * 8;
    r[0] = __shfl_sync(~0u, v, (int)(lane * 5 + 3));
    r[1] = __shfl_up_sync(~0u, v, 3);
    r[2] = __shfl_down_sync(~0u, v, 5);
    r[3] = __shfl_xor_sync(~0u, v, 9);
    r[4] = __shfl_sync(~0u, v, (int)(lane + 1), 8);
    r[5] = __shfl_up_sync(~0u, v, 2, 16);
    r[6] = __shfl_down_sync(~0u, v, 2, 4);
    r[7] = __shfl_xor_sync(~0u, v, 3, 8);
}

static void shuffles_move_values()
{
    constexpr u32 n = 64;
    Array<u64> out(n * 8);
    shuffles_kernel<<<1, n>>>(out.device);
    out.down();
    bool good = true;
    for (u32 t = 0; t < n; t++) {
        u32 lane = t % 32, warp = t - lane;
        const u32 from[8] = {(lane * 5 + 3) % 32,
                             lane >= 3 ? lane - 3 : lane,
                             lane + 5 < 32 ? lane + 5 : lane,
                             lane ^ 9,
                             lane / 8 * 8 + (lane + 1) % 8,
                             lane % 16 >= 2 ? lane - 2 : lane,
                             lane % 4 + 2 < 4 ? lane + 2 : lane,
                             lane ^ 3};
        for (u32 k = 0; k < 8; k++) {
            u64 s = warp + from[k];
            good &= out.host[t * 8 + k] == (s << 35 | (s * 3 + 1));
        }
    }
    expect("shuffles", good);
}

/* Three groups of lanes go separate ways and meet among themselves. */
__global__ void groups_kernel(u32 *out)
{
    u32 lane = threadIdx.x, r = 0;
    if (lane % 4 == 0) {
        u32 mask = 0x11111111;
        for (int step = 4; step < 32; step *= 2)
            r += __shfl_xor_sync(mask, lane + 1, step);
        r += __popc(__ballot_sync(mask, lane > 8)) * 1000;
    } else if (lane < 16) {
        u32 mask = 0x0000eeee;
        r = __match_any_sync(mask, lane / 6);
        r += (u32)__any_sync(mask, lane == 15) * 0x10000;
        r += (u32)__all_sync(mask, lane < 15) * 0x20000;
    } else {
        u32 mask = 0xeeee0000;
        int same = 0;
        r = __match_all_sync(mask, lane / 16, &same) == mask;
        r += (u32)same * 2;
        r += (__match_all_sync(mask, lane, &same) == 0) * 4;
        r += (u32)(same == 0) * 8;
    }
    __syncwarp();
    out[lane] = r;
}

static void groups_of_lanes_meet_apart()
{
    Array<u32> out(32);
    groups_kernel<<<1, 32>>>(out.device);
    out.down();
    bool good = true;
    for (u32 lane = 0; lane < 32; lane++) {
        u32 r = 0;
        if (lane % 4 == 0) {
            for (u32 step = 4; step < 32; step *= 2)
                r += (lane ^ step) + 1;
            r += 5 * 1000;
        } else if (lane < 16) {
            for (u32 i = 0; i < 16; i++)
                if (i % 4 && i / 6 == lane / 6)
                    r |= 1u << i;
            r += 0x10000;
        } else {
            r = 15;
        }
        good &= out.host[lane] == r;
    }
    expect("groups of lanes meet apart", good);
}

__global__ void reductions_kernel(u32 *out)
{
    u32 lane = threadIdx.x, mask = lane < 20 ? 0xfffffu : 0xfff00000u, r = 0;
#if __CUDA_ARCH__ >= 800
    int v = (int)lane * 7 % 19 - 9;
    r = __reduce_add_sync(mask, lane) * 3 + __reduce_max_sync(mask, lane) * 5 +
        __reduce_min_sync(mask, lane) * 7 +
        (u32)__reduce_max_sync(mask, v) * 11 +
        (u32)__reduce_min_sync(mask, v) * 13 +
        __reduce_or_sync(mask, 1u << lane % 8) * 17 +
        __reduce_and_sync(mask, lane | 64) * 19 +
        __reduce_xor_sync(mask, lane) * 23;
#else
    r = mask;
#endif
    out[lane] = r;
}

static void reductions_of_parts_of_a_warp(int major)
{
    Array<u32> out(32);
    reductions_kernel<<<1, 32>>>(out.device);
    out.down();
    bool good = true;
    for (u32 part = 0; part < 2; part++) {
        u32 begin = part ? 20 : 0, end = part ? 32 : 20;
        u32 sum = 0, any = 0, every = ~0u, odd = 0;
        int high = -100, low = 100;
        for (u32 lane = begin; lane < end; lane++) {
            int v = (int)lane * 7 % 19 - 9;
            sum += lane, any |= 1u << lane % 8, every &= lane | 64, odd ^= lane;
            high = std::max(high, v), low = std::min(low, v);
        }
        u32 r = sum * 3 + (end - 1) * 5 + begin * 7 + (u32)high * 11 +
                (u32)low * 13 + any * 17 + every * 19 + odd * 23;
        if (major < 8)
            r = part ? 0xfff00000u : 0xfffffu;
        for (u32 lane = begin; lane < end; lane++)
            good &= out.host[lane] == r;
    }
    expect("reductions of parts of a warp", good);
}

/* Lacks a barrier: each thread reads what another may not have written yet.
 * The first value is written before, so only the order can tell. */
__global__ void missing_barrier_kernel(u32 *out)
{
    __shared__ u32 values[64];
    u32 i = threadIdx.x;
    values[i] = 0;
    __syncthreads();
    values[i] = i + 1;
    out[i] = values[(i + 1) % 64];
}

static void a_missing_barrier_shows()
{
    Array<u32> out(64);
    missing_barrier_kernel<<<1, 64>>>(out.device);
    out.down();
    u64 sum = 0;
    for (u32 i = 0; i < 64; i++)
        sum = sum * 31 + out.host[i];
    printf("order-dependent %llu\n", sum);
}

int main()
{
    int major;
    CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    barriers_hold_the_whole_block(1024);
    barriers_hold_the_whole_block(77);
    an_exited_thread_holds_up_no_barrier();
    shuffles_move_values();
    groups_of_lanes_meet_apart();
    reductions_of_parts_of_a_warp(major);
    a_missing_barrier_shows();
    puts("done");
}
