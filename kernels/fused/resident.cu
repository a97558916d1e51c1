/*
 * resident.cu - answer a row from one read of its logits, on chip
 */

#include "../launch_typed.h"
#include "resident_row.cuh"
#include "select_block.cuh"

#include <algorithm>

namespace tessera
{

namespace
{

constexpr int threads = 512;

using storage = resident_storage<threads>;
constexpr size_t storage_bytes = (sizeof(storage) + 15) / 16 * 16;
static_assert(storage_bytes <= 74 * 1024, "what the kernel says it takes");

/* Leaves the best ranks of a block's tiles in the selector, of a row that
 * selects one in the first place of it, or 0; and if the call holds rows their
 * values.  Whether the thread has seen a NaN. */
template <typename T>
__device__ bool select_tiles_block(const fused_view &fused,
                                   const fused_row &row,
                                   const tiles_on_chip &tiles, float *values,
                                   selector &selector)
{
    row_reader<T> reader(fused, row, blockIdx.y, view::processed);
    part part = {tiles.first * warp_tile_tokens,
                 min(tiles.end * warp_tile_tokens, fused.call.vocab)};
    int32_t held =
        fused.holds_rows ? fused.resident_tiles * warp_tile_tokens : 0;
    bool nan = false;
    auto keep = [&](int32_t token, const auto &x) {
        int32_t place = token - part.first;
        if (place >= held)
            return;
        float4 *quads = reinterpret_cast<float4 *>(values + place);
#pragma unroll
        for (int i = 0; i < row_reader<T>::size; i += 4)
            quads[i / 4] = make_float4(x[i], x[i + 1], x[i + 2], x[i + 3]);
    };

    if (row.select > 1) {
        select_block<threads>(reader, part, row.select, selector, nan, keep);
        return nan;
    }
    unsigned long long best = best_block<threads>(reader, part, nan, keep);
    if (threadIdx.x == 0)
        selector.ranks[0] = best;
    return nan;
}

} // namespace

/*
 * resident_kernel answers a row.
 *
 *   Launch     a cluster a row, of 1 to 8 blocks of 512 threads, one an SM
 *   Thread     8 tokens a step in loads of 16 bytes, or 16, as select; then a
 *              warp a tile on chip; the first block's do what rank's and
 *              settle's do
 *   Reads      the logits once, as select does, and of a row that is drawn from
 *              more tokens than the ranking the tile of the drawn token
 *   Writes     the row's outputs; of a row that the ranking does not answer the
 *              ranking and a sum a tile
 *   Shared     74 KiB, and 4 KiB a tile of 1024 tokens if a row of the call may
 *              need more than its ranking
 *   Barriers   of the cluster 3; 2 for sums and 3 for each histogram, 2 to
 *              collect.  Of the first block those of rank and settle
 *
 * Blocks of a row meet at the cluster's barriers, and in sums of integers.
 * Compiled where there are clusters; elsewhere fit_resident() says that none is
 * to be launched.
 */
template <typename T>
__global__ void __launch_bounds__(threads, 1) resident_kernel(fused_view fused)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ float4 memory[];
    storage &own = *reinterpret_cast<storage *>(memory);
    float *values = reinterpret_cast<float *>(memory) + storage_bytes / 4;

    fused_row &row = fused.rows[blockIdx.y];
    bool leads = cluster_rank() == 0;
    if (!row.state.valid) {
        if (leads)
            write_row_block(fused, blockIdx.y, row.state, key_out, nullptr);
        return;
    }

    resident_row<threads> tokens(fused, own, values);
    if (select_tiles_block<T>(fused, row, tokens.tiles(), values,
                              own.rank.selector))
        atomicOr(&row.state.nan, 1u);
    sync_cluster();

    if (!leads) {
        tokens.follow();
        return;
    }
    merge_cluster_block<threads>(own.rank.selector, row.select);
    row_path path = rank_row_block(fused, blockIdx.y, row, own.state, own.rank);
    if (path == path_sum || path == path_total)
        tokens.sum();
    if (path != path_done)
        settle_row_block<T>(fused, blockIdx.y, row, tokens, own.state,
                            own.rank.finish, own.descent, own.drawn);
    tokens.end();
#endif
}

/* What a launch has whose blocks hold so many tiles each; 0: none. */
static launch_shape shape_of(int32_t blocks, int32_t rows, int32_t tiles)
{
    return {dim3((unsigned)blocks, (unsigned)rows), threads, blocks,
            storage_bytes + (size_t)tiles * tile_bytes};
}

/* Takes what is not possible out of 'chip', and allows the rest. */
template <typename T>
static cudaError_t fit_typed(int32_t most_bytes, tessera_chip *chip)
{
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, resident_kernel<T>);

    if (error != cudaSuccess)
        return error;
    int64_t bytes = most_bytes - (int64_t)attributes.sharedSizeBytes;
    int64_t tiles = (bytes - (int64_t)storage_bytes) / (int64_t)tile_bytes;
    /* A newer chip may run the code of an older one, which has no kernel. */
    if (attributes.ptxVersion < 90 || tiles < 1) {
        *chip = {chip->multiprocessors, 0, {}};
        return cudaSuccess;
    }
    error = cudaFuncSetAttribute(resident_kernel<T>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)bytes);
    chip->resident_tiles =
        std::min(chip->resident_tiles, static_cast<int32_t>(tiles));
    for (int size = 1; size < TESSERA_CLUSTER_SIZES && error == cudaSuccess;
         size++) {
        launch_config config(shape_of(1 << size, 1, (int32_t)tiles), {});
        int placed = 0;
        error = cudaOccupancyMaxActiveClusters(&placed, resident_kernel<T>,
                                               &config.config);
        if (error == cudaErrorInvalidClusterSize) {
            cudaGetLastError();
            placed = 0;
            error = cudaSuccess;
        }
        chip->cluster_room[size] =
            std::min(chip->cluster_room[size], placed << size);
    }
    return error;
}

cudaError_t fit_resident(int device, tessera_chip *chip)
{
    int most_bytes = 0;
    int clusters = 0;
    cudaError_t error =
        cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(
            &most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    chip->resident_tiles = clusters ? INT32_MAX : 0;
    for (int32_t &room : chip->cluster_room)
        room = clusters ? chip->multiprocessors : 0;
    if (error != cudaSuccess || !clusters)
        return error;
    error = fit_typed<float>(most_bytes, chip);
    if (error == cudaSuccess)
        error = fit_typed<__half>(most_bytes, chip);
    if (error == cudaSuccess)
        error = fit_typed<__nv_bfloat16>(most_bytes, chip);
    return error;
}

cudaError_t launch_resident(const fused_view &fused, const queue &queue)
{
    launch_shape shape = shape_of(fused.cluster_blocks, fused.call.rows,
                                  fused.holds_rows ? fused.resident_tiles : 0);

    return launch_typed(fused.call.batch.logits_type, [&](auto logit) {
        return launch("resident", resident_kernel<decltype(logit)>, shape,
                      queue, fused);
    });
}

} // namespace tessera
