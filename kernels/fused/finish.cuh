/*
 * finish.cuh - filter and draw from a row's ranked tokens, and write the row
 *
 * Where the filters keep no token but ranked ones, everything after the ranking
 * happens on chip: weights, top-p, min-p, the sum, the order of ids, the draw.
 */

#ifndef TESSERA_FUSED_FINISH_CUH
#define TESSERA_FUSED_FINISH_CUH

#include "../stages/draw.cuh"
#include "../stages/top_p.cuh"
#include "../stages/weight.cuh"
#include "../write.cuh"
#include "kernels.h"
#include "sort.cuh"

#include <cub/block/block_scan.cuh>

namespace tessera
{

/* Shared memory of the functions below, and of those that call them. */
template <int Threads>
struct finish_storage {
    using block_scan =
        cub::BlockScan<uint64_t, Threads, cub::BLOCK_SCAN_WARP_SCANS>;

    unsigned long long ranks[most_selected]; /* of the ranking, in order */
    unsigned long long words[most_selected];
    uint64_t weights[most_selected];
    typename block_scan::TempStorage scan;
    uint64_t sum;
    uint64_t target;
    uint32_t kept;
    uint32_t key; /* of the drawn token */
    int32_t token;
};

/*
 * weigh_ranking_block() sets storage.weights to those of the first 'count'
 * ranks, and gives each thread the sum before its own, and the sum of all.
 * A thread has most_selected / Threads consecutive ones.
 *
 * Call from every thread of the block, behind a barrier; ends with one.
 */
template <int Threads>
__device__ uint64_t weigh_ranking_block(finish_storage<Threads> &storage,
                                        const row_state &state, uint32_t count,
                                        uint64_t &before)
{
    constexpr int items = most_selected / Threads;
    float m = logit_of(key_of_rank(storage.ranks[0]));
    uint64_t sum = 0;
    uint64_t total;

    for (int i = 0; i < items; i++) {
        uint32_t place = threadIdx.x * items + i;
        uint64_t weight = 0;
        if (place < count) {
            float x = logit_of(key_of_rank(storage.ranks[place]));
            weight = weight_of(__fsub_rn(x, m), state.c, state.dmin);
            storage.weights[place] = weight;
        }
        sum += weight;
    }
    typename finish_storage<Threads>::block_scan(storage.scan)
        .ExclusiveSum(sum, before, total);
    __syncthreads();
    return total;
}

/*
 * finish_ranking_block() keeps of the first 'count' ranked tokens what top-p,
 * of the total weight 'total', and min-p leave, and draws one of them.  Sets
 * state.sum, state.kept and state.token, and storage.key.
 *
 * Call from every thread of the block, with what weigh_ranking_block() gave.
 * Ends with a barrier.
 */
template <int Threads>
__device__ void finish_ranking_block(finish_storage<Threads> &storage,
                                     row_state &state, uint32_t count,
                                     uint64_t total, uint64_t before)
{
    constexpr int items = most_selected / Threads;
    uint64_t need = top_p_need(state.params.top_p, total);

    if (threadIdx.x == 0)
        storage.kept = 0;
    __syncthreads();

    /* Weights never rise along the ranking, so what is kept is a prefix. */
    uint32_t kept = 0;
    uint64_t sum = 0;
    for (int i = 0; i < items; i++) {
        uint32_t place = threadIdx.x * items + i;
        if (place < count && before < need &&
            storage.weights[place] >= state.threshold) {
            before += storage.weights[place];
            sum = before;
            kept = place + 1;
        }
    }
    if (kept > 0)
        atomicMax(&storage.kept, kept);
    __syncthreads();
    if (kept > 0 && kept == storage.kept) {
        storage.sum = sum;
        storage.target = draw_target(random_of(state.params), sum);
    }

    kept = storage.kept;
    uint32_t words = power_of_two(kept);
    for (uint32_t i = threadIdx.x; i < words; i += Threads)
        /* The low half of a rank falls as the id rises. */
        storage.words[i] = i < kept ? storage.ranks[i] << 32 | i : 0;
    __syncthreads();
    sort_descending_block<Threads>(storage.words, words);

    sum = 0;
    for (int i = 0; i < items; i++) {
        uint32_t place = threadIdx.x * items + i;
        if (place < kept)
            sum += storage.weights[(uint32_t)storage.words[place]];
    }
    typename finish_storage<Threads>::block_scan(storage.scan)
        .ExclusiveSum(sum, before);
    uint64_t target = storage.target;
    if (before <= target && target < before + sum) {
        uint32_t ranked = 0;
        for (int i = 0; i < items && before <= target; i++) {
            ranked = (uint32_t)storage.words[threadIdx.x * items + i];
            before += storage.weights[ranked];
        }
        state.sum = storage.sum;
        state.kept = kept;
        state.token = token_of_rank(storage.ranks[ranked]);
        storage.key = key_of_rank(storage.ranks[ranked]);
    }
    __syncthreads();
}

/*
 * write_row_block() writes what is asked for of a row as drawn, and advances
 * its step.  'ranking' has its best tokens in order, as many as its list of top
 * tokens may show; 'key' is the drawn token's.
 *
 * Call from every thread of the block, behind a barrier.
 */
__device__ inline void write_row_block(const fused_view &fused,
                                       uint32_t chunk_row,
                                       const row_state &state, uint32_t key,
                                       const unsigned long long *ranking)
{
    const tessera_outputs &outputs = fused.call.outputs;
    size_t row = (size_t)fused.call.first_row + chunk_row;
    bool drawn = state.token >= 0;
    int32_t i = (int32_t)threadIdx.x;

    if (i < (int32_t)fused.list_length) {
        int32_t token = -1;
        float logprob = minus_infinity();
        if (drawn && (uint32_t)i < state.kept) {
            token = token_of_rank(ranking[i]);
            logprob =
                state.greedy
                    ? 0.0f
                    : logprob_of(logit_of(key_of_rank(ranking[i])),
                                 logit_of(key_of_rank(state.best)),
                                 state.params.temperature, log_sum(state.sum));
        }
        write_listed(outputs, row, i, token, logprob);
    }
    if (threadIdx.x == 0) {
        write_drawn(outputs, row, state, key);
        if (fused.call.batch.advance_step)
            advance_step(fused.call, chunk_row);
    }
}

} // namespace tessera

#endif
