/*
 * sort.cuh - sort 64-bit words in shared memory
 */

#ifndef TESSERA_FUSED_SORT_CUH
#define TESSERA_FUSED_SORT_CUH

#include <cstdint>

namespace tessera
{

/* The least power of two that is no less. */
__device__ inline uint32_t power_of_two(uint32_t count)
{
    return count <= 1 ? 1 : 1u << (32 - __clz((int)(count - 1)));
}

/*
 * sort_descending_block() sorts 'words', of which there are a power of two, by
 * bitonic merges.  While pairs stand at most 32 words apart a warp works on 64
 * words of its own, and waits for itself alone.
 *
 * Call from every thread of the block, behind a barrier.  Ends with one.
 */
template <int Threads>
__device__ void sort_descending_block(unsigned long long *words, uint32_t count)
{
    for (uint32_t size = 2; size <= count; size *= 2) {
        for (uint32_t stride = size / 2; stride > 0; stride /= 2) {
            for (uint32_t i = threadIdx.x; i < count / 2; i += Threads) {
                uint32_t low = 2 * i - (i & (stride - 1));
                uint32_t high = low + stride;
                unsigned long long a = words[low];
                unsigned long long b = words[high];
                bool descending = (low & size) == 0;
                if ((a < b) == descending) {
                    words[low] = b;
                    words[high] = a;
                }
            }
            /* How far apart the next pairs stand. */
            uint32_t next = stride > 1 ? stride / 2 : size;
            if (stride <= 32 && next <= 32)
                __syncwarp();
            else
                __syncthreads();
        }
    }
    __syncthreads();
}

} // namespace tessera

#endif
