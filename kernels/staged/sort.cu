/*
 * sort.cu - rank the tokens of the rows that need it
 *
 * CUB's segmented radix sort of (key, token), a segment a row, descending.  It
 * is stable and tokens come in ascending, so equal keys stay in the order of
 * their ids: the contract's order.  Rows that need no order are empty segments.
 */

#include "kernels.h"

#include <cub/device/device_segmented_radix_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <exception>

namespace tessera
{

namespace
{

/* Where the segment of a row starts and, with End, ends. */
template <bool End>
struct segment_bound {
    const row_state *states;
    int64_t stride;
    int32_t vocab;

    __device__ int64_t operator()(int32_t row) const
    {
        return row * stride + (End && states[row].sorted ? vocab : 0);
    }
};

template <bool End>
auto bounds_of(const call_view &call)
{
    return thrust::make_transform_iterator(
        thrust::counting_iterator<int32_t>(0),
        segment_bound<End>{call.states, call.stride, call.vocab});
}

/* CUB throws where it can't tell which device is current. */
cudaError_t sort(const call_view &call, int32_t rows, void *storage,
                 size_t *bytes, cudaStream_t stream)
try {
    return cub::DeviceSegmentedRadixSort::SortPairsDescending(
        storage, *bytes, call.keys, call.sorted_keys, call.tokens,
        call.sorted_tokens, (int)(rows * call.stride), rows,
        bounds_of<false>(call), bounds_of<true>(call), 0, 32, stream);
} catch (const std::exception &) {
    return cudaErrorInvalidDevice;
}

} // namespace

/* CUB asks for these once a process and keeps the answer, an error too: no sort
 * would work again.  So an error is met here first. */
cudaError_t load_sort()
{
    int devices;
    cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDeviceCount(&devices);

    if (error == cudaSuccess)
        error =
            cudaFuncGetAttributes(&attributes, cub::detail::EmptyKernel<void>);
    return error;
}

cudaError_t sort_bytes(const call_view &call, int32_t rows, size_t *bytes)
{
    *bytes = 0;
    return sort(call, rows, nullptr, bytes, nullptr);
}

cudaError_t launch_sort(const call_view &call, void *storage,
                        size_t storage_bytes, const queue &queue)
{
    cudaError_t error =
        sort(call, call.rows, storage, &storage_bytes, queue.stream);
    if (error == cudaSuccess)
        queue.tell("cub::DeviceSegmentedRadixSort");
    return error;
}

} // namespace tessera
