/*
 * resident_row.cuh - a row in the shared memory of a cluster
 *
 * The first block of the cluster leads: it follows the row from its ranking to
 * its token, and where a step needs the whole row it sets a task, on which
 * every block works over its own tiles.  The others wait for tasks.
 */

#ifndef TESSERA_FUSED_RESIDENT_ROW_CUH
#define TESSERA_FUSED_RESIDENT_ROW_CUH

#include "cluster.cuh"
#include "rank_block.cuh"
#include "settle_block.cuh"

namespace tessera
{

/* Leaves the cluster's best k ranks in the leader's selector; of others than
 * k 1 their selectors have as many, else their best or 0 in the first place.
 * Call from every thread of the leader.  Ends with a barrier. */
template <int Threads>
__device__ void merge_cluster_block(selector &own, uint32_t k)
{
    if (k > 1) {
        merge_block<Threads>(
            own, (int32_t)cluster_blocks() - 1, k, [&](int32_t part) {
                const selector &other = of_block(own, (uint32_t)part + 1);
                return part_list{other.ranks, other.count};
            });
        return;
    }
    if (threadIdx.x == 0) {
        unsigned long long best = 0;
        for (uint32_t block = 0; block < cluster_blocks(); block++)
            best = max(best, of_block(own, block).ranks[0]);
        own.ranks[0] = best;
        own.count = best != 0;
    }
    __syncthreads();
}

/* The tiles of a row that a block holds, as floats after their edits. */
struct tiles_on_chip {
    const float *values; /* of the tokens from tile 'first' on */
    int32_t first;
    int32_t end;

    /* As that of tiles in memory. */
    template <typename Visit>
    __device__ void visit_warp(int32_t tile, bool unbounded, Visit visit) const
    {
        int32_t lane = (int32_t)threadIdx.x % 32;
        int32_t token = tile * warp_tile_tokens + lane * 4;
        const float4 *quads = reinterpret_cast<const float4 *>(
                                  values + (tile - first) * warp_tile_tokens) +
                              lane;

#pragma unroll 1
        for (int step = 0; step < warp_tile_tokens / 128; step++) {
            float4 quad = quads[step * 32];
            float x[4] = {quad.x, quad.y, quad.z, quad.w};
            visit_bounded<4>(token + step * 128, x, unbounded, visit);
        }
    }
};

/* What the blocks of a cluster do next. */
enum class task : uint8_t { sum, bin_distances, bin_places, collect, end };

template <int Threads>
struct resident_storage {
    rank_storage<Threads> rank;
    descent<Threads> descent;
    row_state state;
    drawn_token drawn;
    tessera::task task; /* the leader's */
};

template <int Threads>
class resident_row
{
  public:
    static constexpr bool one_place = false;

    __device__ resident_row(const fused_view &fused,
                            resident_storage<Threads> &storage,
                            const float *values)
        : fused_(fused), storage_(storage), values_(values)
    {
    }

    /* Worked out anew wherever they are used: registers are few. */
    __device__ fused_row &row() const
    {
        return fused_.rows[blockIdx.y];
    }

    __device__ unsigned long long *tile_sums() const
    {
        return fused_.tile_sums + blockIdx.y * (size_t)fused_.tiles;
    }

    /* The block's own. */
    __device__ tiles_on_chip tiles() const
    {
        int32_t first = (int32_t)cluster_rank() * fused_.resident_tiles;
        return {values_, first,
                min(first + fused_.resident_tiles, fused_.tiles)};
    }

    /* For the leader: the weights of row.least and above, into row.state.  Call
     * from every thread of the block.  Ends with a barrier. */
    __device__ void sum()
    {
        share(task::sum);
        sync_cluster();
    }

    /* For the leader: a pass of its descent.  Call from every thread of the
     * block; the bins, if it is to fill them, are clear. */
    __device__ void pass(tessera::pass pass, descent<Threads> &descent)
    {
        if (pass != pass::collect) {
            share(pass == pass::bin_places ? task::bin_places
                                           : task::bin_distances);
            sync_cluster();
            merge_bins();
            sync_cluster();
            return;
        }
        share(task::collect);
        sync_cluster();
        gather(descent);
    }

    /* For the leader: the row's histogram by distance.  Call from every thread
     * of the block.  Ends with a barrier. */
    __device__ void histogram(descent<Threads> &descent)
    {
        clear_bins_block<Threads>(descent.bins);
        pass(pass::bin_distances, descent);
    }

    /* For the leader: lets the others end.  Call from every thread of the
     * block. */
    __device__ void end()
    {
        set(task::end);
        sync_cluster();
    }

    /* For the others: works on tasks until the last.  Call from every thread of
     * the block. */
    __device__ void follow()
    {
        descent<Threads> &own = storage_.descent;
        const descent<Threads> &leader = of_block(own, 0);

        for (;;) {
            sync_cluster();
            task task = of_block(storage_.task, 0);
            if (task == task::end)
                break;
            bool bins = task == task::bin_distances || task == task::bin_places;
            if (bins)
                clear_bins_block<Threads>(own.bins);
            if (threadIdx.x == 0 &&
                (task == task::bin_places || task == task::collect)) {
                start_descent(own);
                own.first = leader.first;
                own.last = leader.last;
            }
            __syncthreads();
            work(task);
            sync_cluster();
            if (bins) {
                merge_bins();
                sync_cluster();
            }
        }
        sync_cluster(); /* the leader's memory was in use till here */
    }

  private:
    __device__ void set(task task)
    {
        if (threadIdx.x == 0)
            storage_.task = task;
        sync_cluster();
    }

    __device__ void share(task task)
    {
        set(task);
        work(task);
    }

    __device__ void work(task task)
    {
        if (task == task::sum) {
            sum_tiles_block<Threads>(tiles(), row().state, weigher(row()).m,
                                     row().least, tile_sums(), as_it_is{});
            return;
        }
        tessera::pass pass = task == task::collect      ? pass::collect
                             : task == task::bin_places ? pass::bin_places
                                                        : pass::bin_distances;
        pass_over_tiles_block(tiles(), weigher(row()), pass, tile_sums(),
                              storage_.descent);
    }

    /* Adds the bins of all blocks up in the leader's, each block as many of
     * them. */
    __device__ void merge_bins()
    {
        uint32_t blocks = cluster_blocks();
        uint32_t share = most_bins / blocks;
        bins &leader = of_block(storage_.descent.bins, 0);

        if (blocks == 1)
            return;
        for (uint32_t i = threadIdx.x; i < share; i += Threads) {
            uint32_t bin = cluster_rank() * share + i;
            uint32_t count = 0;
            uint64_t weight = 0;
            for (uint32_t block = 0; block < blocks; block++) {
                const bins &own = of_block(storage_.descent.bins, block);
                count += own.counts[bin];
                weight += weight_of_bin(own, bin);
            }
            leader.counts[bin] = count;
            leader.low[bin] = (uint32_t)weight;
            leader.high[bin] = (uint32_t)(weight >> 32);
        }
    }

    /* Adds what the others collected, and kept, to the leader's own. */
    __device__ void gather(descent<Threads> &descent)
    {
        uint32_t count = descent.collected_count;
        unsigned long long weight = 0;
        uint32_t kept = 0;

        __syncthreads(); /* all have the count */
        for (uint32_t block = 1; block < cluster_blocks(); block++) {
            const auto &other = of_block(descent, block);
            uint32_t others = other.collected_count;
            for (uint32_t i = threadIdx.x; i < others; i += Threads)
                descent.collected[count + i] = other.collected[i];
            count += others;
            weight += other.kept_weight;
            kept += other.kept;
        }
        if (threadIdx.x == 0) {
            descent.collected_count = count;
            descent.kept_weight += weight;
            descent.kept += kept;
        }
    }

    const fused_view &fused_;
    resident_storage<Threads> &storage_;
    const float *values_;
};

} // namespace tessera

#endif
