/*
 * cluster.cuh - the blocks that have a row together, and their shared memory
 *
 * From sm_90 on a launch may ask for clusters: blocks that run at the same time
 * and reach into each other's shared memory.  In one that doesn't ask, a block
 * is a cluster of its own; so it is to code for chips before, which compiles
 * and is not run.
 */

#ifndef TESSERA_FUSED_CLUSTER_CUH
#define TESSERA_FUSED_CLUSTER_CUH

#include <cstdint>

namespace tessera
{

__device__ inline uint32_t cluster_rank()
{
#if __CUDA_ARCH__ >= 900
    return __clusterRelativeBlockRank();
#else
    return 0;
#endif
}

__device__ inline uint32_t cluster_blocks()
{
#if __CUDA_ARCH__ >= 900
    return __clusterSizeInBlocks();
#else
    return 1;
#endif
}

/* A barrier of all threads of the cluster: what each wrote before, to shared or
 * global memory, all may read after. */
__device__ inline void sync_cluster()
{
#if __CUDA_ARCH__ >= 900
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#else
    __syncthreads();
#endif
}

/* The same variable of another block of the cluster, which must not end before
 * it was used. */
template <typename Value>
__device__ Value &of_block(Value &shared, uint32_t rank)
{
#if __CUDA_ARCH__ >= 900
    return *static_cast<Value *>(__cluster_map_shared_rank(&shared, rank));
#else
    return shared;
#endif
}

} // namespace tessera

#endif
