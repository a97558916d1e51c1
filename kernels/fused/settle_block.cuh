/*
 * settle_block.cuh - filter and draw from a row that its ranked tokens do not
 * answer, by one block
 */

#ifndef TESSERA_FUSED_SETTLE_BLOCK_CUH
#define TESSERA_FUSED_SETTLE_BLOCK_CUH

#include "../stages/draw.cuh"
#include "../stages/top_p.cuh"
#include "finish.cuh"
#include "passes.cuh"

#include <cub/block/block_reduce.cuh>

namespace tessera
{

struct drawn_token {
    unsigned long long target;
    unsigned long long before_tile;
    int32_t tile;
    uint32_t key;
};

/* The weight and the number of all tokens of a histogram.  Call from every
 * thread of the block, behind a barrier.  Ends with one. */
template <int Threads>
__device__ void total_block(const bins &bins, uint64_t &weight,
                            uint64_t &tokens)
{
    using block_reduce = cub::BlockReduce<uint64_t, Threads>;
    __shared__ typename block_reduce::TempStorage scratch;
    __shared__ uint64_t totals[2];

    weight = 0;
    tokens = 0;
    for (uint32_t bin = threadIdx.x; bin < most_bins; bin += Threads) {
        weight += weight_of_bin(bins, bin);
        tokens += bins.counts[bin];
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
 * answered the row instead.  'ranking' is the row's.
 *
 * Call from every thread of the block, behind a barrier.  Ends with one.
 */
template <int Threads, typename Row>
__device__ bool cut_block(Row &tokens, const fused_row &row,
                          const unsigned long long *ranking, row_state &state,
                          finish_storage<Threads> &finish,
                          descent<Threads> &descent)
{
    weigher weigher(row);
    uint64_t top_k = (uint64_t)max(state.params.top_k, 0);
    uint64_t total = state.sum;
    uint64_t in = 0;
    bool binned = false; /* the descent has the histogram by distance */
    bool cut = false;

    if (row.path == path_binned) {
        tokens.histogram(descent);
        total_block<Threads>(descent.bins, total, in);
        binned = true;
    }

    /* Top-k, then top-p, then whatever neither cut. */
#pragma unroll 1
    for (int step = 0; step < 3; step++) {
        measure measure = measure::weight;
        uint64_t goal = 0;

        if (step == 0) {
            if (top_k == 0 || top_k >= in)
                continue;
            measure = measure::tokens;
            goal = top_k;
        } else if (step == 1) {
            if (state.params.top_p >= 1.0f)
                continue;
            if (Row::one_place)
                binned = false;
            for (uint32_t i = threadIdx.x; i < row.ranked; i += Threads)
                finish.ranks[i] = ranking[i];
            __syncthreads();
            uint64_t before;
            uint64_t sum =
                weigh_ranking_block(finish, state, row.ranked, before);
            goal = top_p_need(state.params.top_p, total);
            if (sum >= goal) {
                finish_ranking_block(finish, state, row.ranked, total, before);
                return true;
            }
        } else if (cut) {
            continue;
        }
        if (step < 2 && !binned)
            tokens.histogram(descent);
        if (threadIdx.x == 0) {
            start_descent(descent);
            if (step == 2) {
                /* Every token stands ahead of an empty range. */
                descent.first = 0;
                descent.tokens = 0;
                descent.cut = 0;
            }
        }
        __syncthreads();
        cut = descend_block(tokens, weigher, step < 2, measure, goal, descent);
        binned = false;
        if (step == 0) {
            /* Where nothing with a weight is cut, min-p does the rest. */
            total = descent.weight_ahead;
            if (cut)
                total += weigher.weight(logit_of(key_of_rank(descent.cut)));
        }
        __syncthreads();
    }
    keep_collected_block(weigher, tokens.tile_sums(), descent);
    return false;
}

/*
 * draw_block() draws the row's token: in the order of ids, first among sums of
 * tiles, then in one tile.  Ends with a barrier.
 */
template <int Threads, typename T>
__device__ void draw_block(const fused_view &fused, const weigher &weigher,
                           const row_reader<T> &reader,
                           const unsigned long long *tile_sums,
                           unsigned long long cut, row_state &state,
                           descent<Threads> &descent, drawn_token &drawn)
{
    constexpr int items = warp_tile_tokens / Threads;
    using block_scan = typename tessera::descent<Threads>::block_scan;
    uint64_t before = 0;

    if (threadIdx.x == 0) {
        drawn.target = draw_target(random_of(state.params), state.sum);
        drawn.tile = -1;
    }
    __syncthreads();
    for (int32_t start = 0; drawn.tile < 0; start += Threads) {
        int32_t tile = start + (int32_t)threadIdx.x;
        uint64_t sum = tile < fused.tiles ? tile_sums[tile] : 0;
        uint64_t up_to;
        uint64_t step_sum;

        block_scan(descent.scan).ExclusiveSum(sum, up_to, step_sum);
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
    block_scan(descent.scan).ExclusiveSum(sum, before);
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

/*
 * settle_row_block() answers a row that rank left, and writes it.
 *
 * 'tokens' is the row as passes go over it, and is told which by pass() and
 * histogram(); one_place says that 'finish' and 'descent' are the same memory.
 * Call from every thread of the block, behind a barrier.
 */
template <typename T, int Threads, typename Row>
__device__ void settle_row_block(const fused_view &fused, uint32_t chunk_row,
                                 fused_row &row, Row &tokens, row_state &state,
                                 finish_storage<Threads> &finish,
                                 descent<Threads> &descent, drawn_token &drawn)
{
    const unsigned long long *ranking =
        fused.ranking + chunk_row * (size_t)most_selected;
    unsigned long long cut = 0;
    bool answered = false;

    if (threadIdx.x == 0)
        state = row.state;
    __syncthreads();
    if (row.path != path_sum) {
        answered = cut_block(tokens, row, ranking, state, finish, descent);
        if (!answered) {
            cut = descent.cut;
            if (threadIdx.x == 0) {
                state.sum = descent.kept_weight;
                state.kept = descent.kept;
            }
            __syncthreads();
        }
    }
    if (answered) {
        if (threadIdx.x == 0)
            drawn.key = finish.key;
        __syncthreads();
    } else {
        /* Made where it is used: registers are few. */
        row_reader<T> reader(fused, row, chunk_row, view::processed);
        draw_block(fused, weigher(row), reader, tokens.tile_sums(), cut, state,
                   descent, drawn);
    }
    write_row_block(fused, chunk_row, state, drawn.key, ranking);
    if (threadIdx.x == 0)
        row.state.token = state.token;
}

} // namespace tessera

#endif
