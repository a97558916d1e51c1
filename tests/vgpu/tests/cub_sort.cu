/*
 * cub_sort.cu - CUB's segmented radix sort, its launches and all
 */

#include "check.h"

#include <cub/device/device_segmented_radix_sort.cuh>

#include <algorithm>
#include <numeric>

int main()
{
    const std::vector<int> offsets = {0, 5000, 5000, 5001, 25001};
    const int segments = 4, n = offsets.back();
    std::vector<u32> keys(n);
    std::vector<int> ids(n), expected(n);
    Random random;
    for (u32 &key : keys)
        key = random() >> random() % 32; /* many ties among the small */
    std::iota(ids.begin(), ids.end(), 0);
    expected = ids;
    for (int s = 0; s < segments; s++)
        std::stable_sort(expected.begin() + offsets[s],
                         expected.begin() + offsets[s + 1],
                         [&](int a, int b) { return keys[a] > keys[b]; });

    Array<u32> d_keys(keys), sorted(n);
    Array<int> d_ids(ids), order(n), d_offsets(offsets);
    size_t bytes = 0;
    void *storage = nullptr;
    for (int pass = 0; pass < 2; pass++) {
        CUDA(cub::DeviceSegmentedRadixSort::SortPairsDescending(
            storage, bytes, d_keys.device, sorted.device, d_ids.device,
            order.device, n, segments, d_offsets.device, d_offsets.device + 1,
            0, 32));
        if (pass == 0)
            CUDA(cudaMalloc(&storage, bytes));
    }
    CUDA(cudaDeviceSynchronize());
    sorted.down(), order.down();
    bool good = order.host == expected;
    for (int i = 0; i < n; i++)
        good &= sorted.host[i] == keys[expected[i]];
    expect("DeviceSegmentedRadixSort", good);
    puts("done");
}
