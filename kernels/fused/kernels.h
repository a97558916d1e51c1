/*
 * kernels.h - the launches of the plan "fused", in their order
 *
 *     prepare -> resident, or
 *     prepare -> guess -> select -> rank -> weigh -> settle
 *     select_raw -> rank_raw -> weigh_raw -> answer_raw  (raw ones are wanted)
 *
 * resident has a cluster of blocks a row and answers it from one read, where
 * there are few rows and, if more than its best tokens may be needed, a row
 * fits the cluster's shared memory (choose_plan.c).
 *
 * Elsewhere select reads the logits once and leaves the best tokens of each
 * part of a row; rank puts those of a row in order, and answers every row whose
 * answer lies among them: greedy ones, top-k up to most_selected, most rows
 * with min-p.  For the others weigh reads the logits a second time, and settle
 * ends them; a row that they have nothing to do for costs neither a read.
 *
 * guess is launched where the caller says what the largest logits are.  A row
 * that it weighed against the right one goes on with settle.
 *
 * Each launches one kernel over a chunk of rows, in stream order, and returns
 * the launch's own error.
 */

#ifndef TESSERA_FUSED_KERNELS_H
#define TESSERA_FUSED_KERNELS_H

#include "../call_needs.h"
#include "../row_state.h"

namespace tessera
{

/* Most tokens of a row that select finds, and rank puts in order. */
constexpr int most_selected = 1024;

/* Consecutive tokens whose weights a warp adds up to one sum. */
constexpr int warp_tile_tokens = 1024;

constexpr size_t tile_bytes = warp_tile_tokens * sizeof(float); /* on chip */

/* Of a row's histogram; see bins.cuh. */
constexpr int most_bins = 2048;

/* How a row that rank could not answer goes on. */
enum row_path : uint8_t {
    path_done,   /* it is answered */
    path_sum,    /* every weight that min-p leaves is kept: sums of tiles */
    path_total,  /* top-p, which likely keeps ranked tokens alone: the total */
    path_binned, /* a cut further down: a histogram of the whole row */
};

/* How distances from the best logit become bins: see bins.cuh. */
struct bin_scales {
    float near;
    float far;
};

/* A row's state, and what only this plan has. */
struct fused_row {
    row_state state;

    uint32_t select; /* tokens that select finds for it, 1 .. most_selected */
    uint32_t ranked; /* tokens in its ranking */
    row_path path;
    bool guessed;      /* guess weighs it */
    bin_scales scales; /* of its bins */
    float least;       /* the lowest logit that guess and weigh keep */

    /* Its edit table: see edit_table.cuh. */
    uint32_t slots;
    uint32_t slot_bits; /* of a hash; 0: a token's slot is its id */
};

/* Passed by value to every kernel.  Pointers are to device memory, but for
 * those that 'call' leaves NULL.  Of each row of the chunk: */
struct fused_view {
    call_view call;
    fused_row *rows;

    /* Edit tables, 'most_slots' entries a row; 0: the call has no edits. */
    uint32_t most_slots;
    uint32_t *edit_tokens;
    uint32_t *edit_keys;   /* at first counts */
    uint32_t *edit_biases; /* not used once the keys are there */

    /* What select leaves: for each of 'select_parts' parts of a row as many
     * ranks as it found, in no order, in most_selected places. */
    int32_t select_parts;
    int32_t select_part_tokens; /* a multiple of warp_tile_tokens */
    unsigned long long *lists;
    uint32_t *list_counts;

    /* The row's best tokens in order, most_selected places. */
    unsigned long long *ranking;

    int32_t weigh_parts;
    int32_t weigh_part_tiles;
    int32_t tiles; /* sums of a row */
    unsigned long long *tile_sums;

    /* Histograms of rows with path_binned, most_bins each. */
    unsigned long long *bin_weights;
    uint32_t *bin_counts;

    /* For resident. */
    int32_t cluster_blocks; /* that have a row; 0: the call goes without it */
    int32_t resident_tiles; /* of a block; the last may have fewer, or none */
    bool holds_rows;        /* they are kept on chip, for more than the best */

    bool guesses;             /* guess is launched */
    uint32_t list_length;     /* of lists of processed top tokens, or 0 */
    uint32_t raw_list_length; /* of lists of raw ones, or 0 */
};

/* Params from host memory travel as a launch's arguments, so that they are read
 * before the call returns, captured or not.  Toolkits before 13 may meet
 * drivers that take only 4 KiB of them, of which the rest uses 1.5. */
#if CUDART_VERSION >= 13000
constexpr int params_a_prepare = 128;
#else
constexpr int params_a_prepare = 32;
#endif
struct prepare_params {
    tessera_params params[params_a_prepare];
};
struct params_on_device {
};

/* The slots that 'count' entries take in a table of at most 'most_slots', and
 * the bits of their hash, 0 for slots by id. */
__host__ __device__ inline uint32_t
slots_for(uint64_t count, uint32_t most_slots, uint32_t *bits)
{
    uint32_t slots = 2;

    *bits = 1;
    while (slots < 2 * count && slots < most_slots) {
        slots *= 2;
        ++*bits;
    }
    if (slots < 2 * count || slots > most_slots) {
        *bits = 0;
        return most_slots;
    }
    return slots;
}

/* How many tokens select finds for a valid row; what is kept of a row with
 * filters, and is not among so many, is found otherwise. */
__host__ __device__ inline uint32_t
tokens_to_select(const tessera_params &params, bool greedy,
                 uint32_t list_length)
{
    if (greedy)
        return 1;
    if (params.top_k > 0 && params.top_k < most_selected)
        return (uint32_t)params.top_k;
    if (params.top_k > 0 || params.top_p < 1.0f || params.min_p > 0.0f)
        return most_selected;
    return list_length > 0 ? list_length : 1;
}

/* Whether no more is asked of a row than a temperature and min-p: where its
 * largest logit is known, one read answers it. */
__host__ __device__ inline bool
weighs_outright(const tessera_params &params, bool greedy, uint32_t list_length)
{
    return !greedy && params.top_k <= 0 && params.top_p >= 1.0f &&
           list_length == 0;
}

/* Works out what the device lets launch_resident() do, and allows it to. */
cudaError_t fit_resident(int device, tessera_chip *chip);

/* The params of host memory, or NULL for those on the device; of 'count' rows
 * from row 'first' of the chunk on. */
cudaError_t launch_prepare(const fused_view &view, const row_bounds &bounds,
                           const prepare_params *params, int32_t first,
                           int32_t count, const queue &queue);
cudaError_t launch_guess(const fused_view &fused, const queue &queue);
cudaError_t launch_resident(const fused_view &fused, const queue &queue);
cudaError_t launch_select(const fused_view &fused, view view,
                          const queue &queue);
cudaError_t launch_rank(const fused_view &fused, view view, const queue &queue);
cudaError_t launch_weigh(const fused_view &fused, view view,
                         const queue &queue);
cudaError_t launch_settle(const fused_view &fused, const queue &queue);
cudaError_t launch_answer_raw(const fused_view &fused, const queue &queue);

} // namespace tessera

#endif
