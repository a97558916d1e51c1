/*
 * settle.cu - filter and draw from rows that their ranked tokens do not answer
 */

#include "../stages/draw.cuh"
#include "../stages/top_p.cuh"
#include "finish.cuh"
#include "passes.cuh"

#include <cub/block/block_reduce.cuh>

namespace tessera
{

namespace
{

constexpr int threads = 512;

using row_descent = descent<threads>;
using row_finish = finish_storage<threads>;
using block_reduce = cub::BlockReduce<uint64_t, threads>;

union storage {
    row_descent descent;
    row_finish finish;
};

struct drawn_token {
    unsigned long long target;
    unsigned long long before_tile;
    int32_t tile;
    uint32_t key;
};

/* The weight and the number of all tokens of a row with a histogram.  Ends with
 * a barrier. */
__device__ void total_block(const fused_view &fused, uint64_t &weight,
                            uint64_t &tokens)
{
    __shared__ block_reduce::TempStorage scratch;
    __shared__ uint64_t totals[2];

    weight = 0;
    tokens = 0;
    for (uint32_t bin = threadIdx.x; bin < most_bins; bin += threads) {
        size_t place = blockIdx.x * (size_t)most_bins + bin;
        weight += fused.bin_weights[place];
        tokens += fused.bin_counts[place];
    }
    weight = block_reduce(scratch).Sum(weight);
    __syncthreads(); /* the scratch is used again */
    tokens = block_reduce(scratch).Sum(tokens);
    if (threadIdx.x == 0) {
        totals[0] = weight;
        totals[1] = tokens;
    }
    __syncthreads();
    weight = totals[0];
    tokens = totals[1];
}

/*
 * cut_block() finds what top-k and top-p keep of a row that is not summed
 * outright: the tiles' sums, descent.cut and what is kept.  True: the ranking
 * answered the row instead.  Ends with a barrier.
 */
template <typename T>
__device__ bool cut_block(const fused_view &fused, const fused_row &row,
                          const row_reader<T> &reader,
                          unsigned long long *tile_sums, row_state &state,
                          storage &storage)
{
    row_descent &descent = storage.descent;
    weigher weigher(row);
    uint64_t top_k = (uint64_t)max(state.params.top_k, 0);
    uint64_t total = state.sum;
    uint64_t tokens = 0;
    bool cut = false;

    if (row.path == path_binned)
        total_block(fused, total, tokens);

        /* Top-k, then top-p, then whatever neither cut. */
#pragma unroll 1
    for (int step = 0; step < 3; step++) {
        pass start = row.path == path_binned ? pass::take_histogram
                                             : pass::bin_distances;
        measure measure = measure::weight;
        uint64_t goal = 0;

        if (step == 0) {
            if (top_k == 0 || top_k >= tokens)
                continue;
            measure = measure::tokens;
            goal = top_k;
        } else if (step == 1) {
            if (state.params.top_p >= 1.0f)
                continue;
            for (uint32_t i = threadIdx.x; i < row.ranked; i += threads)
                storage.finish.ranks[i] =
                    fused.ranking[blockIdx.x * (size_t)most_selected + i];
            __syncthreads();
            uint64_t before;
            uint64_t sum =
                weigh_ranking_block(storage.finish, state, row.ranked, before);
            goal = top_p_need(state.params.top_p, total);
            if (sum >= goal) {
                finish_ranking_block(storage.finish, state, row.ranked, total,
                                     before);
                return true;
            }
        } else {
            if (cut)
                continue;
            /* Every token stands ahead of an empty range. */
            start = pass::collect;
            if (threadIdx.x == 0) {
                descent.first = 0;
                descent.last = 0;
                descent.tokens = 0;
                descent.cut = 0;
            }
        }
        __syncthreads();
        cut = descend_block(fused, reader, weigher, start, measure, goal,
                            tile_sums, descent);
        if (step == 0) {
            /* Where nothing with a weight is cut, min-p does the rest. */
            total = descent.weight_ahead;
            if (cut)
                total += weigher.weight(logit_of(key_of_rank(descent.cut)));
        }
        __syncthreads();
    }
    keep_collected_block(weigher, tile_sums, descent);
    return false;
}

/*
 * draw_block() draws the row's token: in the order of ids, first among sums of
 * tiles, then in one tile.  Ends with a barrier.
 */
template <typename T>
__device__ void draw_block(const fused_view &fused, const weigher &weigher,
                           const row_reader<T> &reader,
                           const unsigned long long *tile_sums,
                           unsigned long long cut, row_state &state,
                           storage &storage, drawn_token &drawn)
{
    constexpr int items = warp_tile_tokens / threads;
    using block_scan = row_descent::block_scan;
    uint64_t before = 0;

    if (threadIdx.x == 0) {
        drawn.target = draw_target(random_of(state.params), state.sum);
        drawn.tile = -1;
    }
    __syncthreads();
    for (int32_t start = 0; drawn.tile < 0; start += threads) {
        int32_t tile = start + (int32_t)threadIdx.x;
        uint64_t sum = tile < fused.tiles ? tile_sums[tile] : 0;
        uint64_t up_to;
        uint64_t step_sum;

        block_scan(storage.descent.scan).ExclusiveSum(sum, up_to, step_sum);
        up_to += before;
        before += step_sum;
        __syncthreads(); /* all have read the tile and used the scratch */
        if (up_to <= drawn.target && drawn.target < up_to + sum) {
            drawn.tile = tile;
            drawn.before_tile = up_to;
        }
        __syncthreads();
    }

    int32_t first =
        drawn.tile * warp_tile_tokens + (int32_t)threadIdx.x * items;
    uint32_t keys[items];
    uint64_t weights[items];
    uint64_t sum = 0;
    for (int i = 0; i < items; i++) {
        keys[i] =
            first + i < fused.call.vocab ? reader.key(first + i) : key_out;
        weights[i] = 0;
        if (!is_in(keys[i]) || rank_of(keys[i], first + i) < cut)
            continue;
        uint64_t weight = weigher.weight(logit_of(keys[i]));
        if (weight >= weigher.threshold)
            weights[i] = weight;
        sum += weights[i];
    }
    block_scan(storage.descent.scan).ExclusiveSum(sum, before);
    before += drawn.before_tile;
    for (int i = 0; i < items; i++) {
        if (before <= drawn.target && drawn.target < before + weights[i]) {
            state.token = first + i;
            drawn.key = keys[i];
        }
        before += weights[i];
    }
    __syncthreads();
}

} // namespace

/*
 * settle_kernel answers the rows that rank left.
 *
 *   Launch     one block a row, 512 threads
 *   Thread     a warp a tile of 1024 tokens in each pass; then a tile's sum and
 *              two consecutive tokens of one tile
 *   Reads      path_sum: no more than the tile that holds the drawn token.
 *              path_total: the ranking; if that does not reach, the row as
 *              path_binned does and once more.  path_binned: the histogram,
 *              then the row once if no bin holds more tokens than fit on chip,
 *              and once more for each level until none does (at most four, of
 *              equal logits one or two); twice that with top-p after top-k
 *   Writes     the row's outputs; in path_binned a sum a tile
 *   Shared     the descent, 42 KiB, or the ranking and what follows from it
 *   Barriers   8 a level of the descent, those of the sorts of a ranking, and
 *              3 for each 512 tiles
 */
template <typename T>
__global__ void __launch_bounds__(threads, 1) settle_kernel(fused_view fused)
{
    __shared__ storage storage;
    __shared__ row_state state;
    __shared__ drawn_token drawn;

    const fused_row &row = fused.rows[blockIdx.x];
    if (!row.state.valid || row.path == path_done)
        return;
    if (threadIdx.x == 0)
        state = row.state;
    __syncthreads();

    row_reader<T> reader(fused, row, blockIdx.x, view::processed);
    unsigned long long *tile_sums =
        fused.tile_sums + blockIdx.x * (size_t)fused.tiles;
    unsigned long long cut = 0;
    bool answered = false;
    if (row.path != path_sum)
        answered = cut_block(fused, row, reader, tile_sums, state, storage);
    if (row.path != path_sum && !answered) {
        cut = storage.descent.cut;
        if (threadIdx.x == 0) {
            state.sum = storage.descent.kept_weight;
            state.kept = storage.descent.kept;
        }
        __syncthreads();
    }
    if (answered) {
        if (threadIdx.x == 0)
            drawn.key = storage.finish.key;
        __syncthreads();
    } else {
        draw_block(fused, weigher(row), reader, tile_sums, cut, state, storage,
                   drawn);
    }
    write_row_block(fused, blockIdx.x, state, drawn.key,
                    fused.ranking + blockIdx.x * (size_t)most_selected);
    if (threadIdx.x == 0)
        fused.rows[blockIdx.x].state.token = state.token;
}

cudaError_t launch_settle(const fused_view &fused, const queue &queue)
{
    dim3 blocks((unsigned)fused.call.rows);

    switch (fused.call.batch.logits_type) {
    case TESSERA_FLOAT16:
        return launch("settle", settle_kernel<__half>, blocks, threads, queue,
                      fused);
    case TESSERA_BFLOAT16:
        return launch("settle", settle_kernel<__nv_bfloat16>, blocks, threads,
                      queue, fused);
    default:
        return launch("settle", settle_kernel<float>, blocks, threads, queue,
                      fused);
    }
}

} // namespace tessera
