/*
 * row_state.h - what the kernels of a call share
 *
 * A call works through its rows in chunks that fit the workspace.  Every kernel
 * of a chunk takes one struct call_view by value and finds its row there.
 */

#ifndef TESSERA_ROW_STATE_H
#define TESSERA_ROW_STATE_H

#include <tessera.h>

#include <cstddef>
#include <cstdint>

namespace tessera
{

/* Tokens a block of a pass over the vocabulary takes: 256 threads of 16. */
constexpr int tile_threads = 256;
constexpr int tile_tokens = 4096;

/* One row of a chunk, from its check to its answer.  Written by one kernel at a
 * time; several blocks of a launch meet in it only through atomics whose order
 * does not matter. */
struct row_state {
    tessera_params params;

    /* The row's own; NULL where it has none. */
    const void *logits;
    const uint32_t *mask;
    const int32_t *prompt;
    const int32_t *generated;
    const tessera_bias *biases;
    const int32_t *bans;
    int32_t prompt_length; /* what the window sees of it */
    int32_t generated_length;
    int32_t bias_count;
    int32_t ban_count;

    bool valid;
    bool greedy;
    bool sorted; /* the row's tokens are ranked by a sort */
    bool edited; /* it has bans, bias, or a history that is penalised */
    float c;     /* the temperature stage's */
    float dmin;

    /* Atomics of the passes over the vocabulary. */
    unsigned long long best; /* rank_of() of the first token; 0: none is in */
    unsigned long long sum;  /* of kept weights */
    uint32_t in;             /* tokens that are in */
    uint32_t kept;
    uint32_t nan;
    uint32_t ahead; /* raw: tokens before the drawn one in the order */

    /* Kept are the tokens whose rank_of() is at least 'cut' and whose weight is
     * at least 'threshold'. */
    unsigned long long cut;
    uint64_t threshold;

    int32_t token;

    /* What the caller believes to be the largest logit; a NaN: not known. */
    float maximum;
};

/* Which distribution a pass works on: the row as drawn from, or as given. */
enum class view { processed, raw };

/* The parameters' ranges, from the host library's table. */
struct parameter_range {
    uint32_t offset;
    int32_t type;
    double minimum;
    double maximum;
    uint64_t maximum_word;
    int32_t minimum_open;
};

constexpr int most_parameters = 16;

struct parameter_ranges {
    int32_t count;
    parameter_range range[most_parameters];
};

/* What a row of a call may be. */
struct row_bounds {
    parameter_ranges ranges;
    uint32_t stages; /* what it may use */
    int32_t max_top_k;
};

/* Passed by value to every kernel.  Pointers are to device memory. */
struct call_view {
    tessera_batch batch;
    tessera_outputs outputs;

    /* Of the chunk's first row: in the caller's array, or copied from it. */
    tessera_params *params;
    size_t params_stride;

    int32_t vocab;
    int32_t max_history;
    int32_t max_edits;
    int32_t first_row; /* in the batch, of the chunk */
    int32_t rows;      /* of the chunk */

    /* Workspace, a row of the chunk each: */
    int32_t tiles;   /* of a row */
    int64_t stride;  /* elements from a row to the next of the next four */
    uint32_t *keys;  /* order-preserving bits of x; below key_of_lowest: out */
    int32_t *tokens; /* 0, 1, 2, ...: the sort's values */
    uint32_t *sorted_keys;
    int32_t *sorted_tokens;
    int64_t edited_stride;         /* words */
    uint32_t *edited;              /* a bit a token: its key is set already */
    unsigned long long *tile_sums; /* [tiles] */
    row_state *states;
};

} // namespace tessera

#endif
