/*
 * cub_block.cu - CUB's block algorithms against plain code
 */

#include "check.h"

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <algorithm>
#include <numeric>

template <int Threads>
__global__ void reduce_scan_kernel(const float *x, const u64 *w, float *highest,
                                   u64 *before, u64 *total)
{
    using Reduce = cub::BlockReduce<float, Threads>;
    using Scan = cub::BlockScan<u64, Threads>;
    using WarpScans = cub::BlockScan<u64, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
        typename WarpScans::TempStorage warp_scans;
    } storage;
    u32 i = threadIdx.x;
    float m = Reduce(storage.reduce).Reduce(x[i], cuda::maximum<>{});
    if (i == 0)
        *highest = m;
    __syncthreads();
    u64 sum, again, sum_again;
    Scan(storage.scan).ExclusiveSum(w[i], before[i], sum);
    __syncthreads();
    WarpScans(storage.warp_scans).ExclusiveSum(w[i], again, sum_again);
    if (i == 0)
        *total = sum;
    if (again != before[i] || sum_again != sum)
        *total = 0;
}

template <int Threads>
static void reduce_and_scan()
{
    std::vector<float> x(Threads);
    std::vector<u64> w(Threads);
    Random random;
    for (int i = 0; i < Threads; i++) {
        x[i] = (float)(int)random() / 65536.0f;
        w[i] = (u64)random() << 8;
    }
    Array<float> dx(x), highest(1);
    Array<u64> dw(w), before(Threads), total(1);
    reduce_scan_kernel<Threads><<<1, Threads>>>(
        dx.device, dw.device, highest.device, before.device, total.device);
    highest.down(), before.down(), total.down();
    expect("BlockReduce finds the maximum",
           highest.host[0] == *std::max_element(x.begin(), x.end()));
    std::vector<u64> expected(Threads);
    std::exclusive_scan(w.begin(), w.end(), expected.begin(), 0ull);
    expect("BlockScan of u64", before.host == expected &&
                                   total.host[0] == expected.back() + w.back());
}

constexpr int threads = 128, items = 6;

__global__ void sort_kernel(u32 *keys, int *values)
{
    using Sort = cub::BlockRadixSort<u32, threads, items, int>;
    __shared__ typename Sort::TempStorage storage;
    u32 k[items];
    int v[items];
    for (int i = 0; i < items; i++) {
        k[i] = keys[threadIdx.x * items + i];
        v[i] = values[threadIdx.x * items + i];
    }
    Sort(storage).SortDescending(k, v);
    for (int i = 0; i < items; i++) {
        keys[threadIdx.x * items + i] = k[i];
        values[threadIdx.x * items + i] = v[i];
    }
}

static void radix_sort()
{
    constexpr int n = threads * items;
    std::vector<u32> k(n);
    std::vector<int> v(n), expected(n);
    Random random;
    for (u32 &key : k)
        key = random() % 3 ? random() : 7; /* ties: the sort is stable */
    std::iota(v.begin(), v.end(), 0);
    expected = v;
    std::stable_sort(expected.begin(), expected.end(),
                     [&](int a, int b) { return k[a] > k[b]; });
    Array<u32> dk(k);
    Array<int> dv(v);
    sort_kernel<<<1, threads>>>(dk.device, dv.device);
    dk.down(), dv.down();
    bool good = dv.host == expected;
    for (int i = 0; i < n; i++)
        good &= dk.host[i] == k[expected[i]];
    expect("BlockRadixSort", good);
}

int main()
{
    reduce_and_scan<128>();
    reduce_and_scan<1024>();
    radix_sort();
    puts("done");
}
