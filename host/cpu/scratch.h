/*
 * scratch.h - what one thread works in, carved from the workspace
 */

#ifndef TESSERA_CPU_SCRATCH_H
#define TESSERA_CPU_SCRATCH_H

#include "loops.h"

/* What is known of a row's blocks: an entry a block in each array. */
struct blocks {
    float *peak;         /* its largest logit, settled */
    uint8_t *odd;        /* it holds a NaN or more than FLT_MAX */
    int32_t *first_edit; /* the first of its edited tokens, or -1 */
};

/* Tokens apart from their row, in the order of ids. */
struct token_list {
    float *x;
    int32_t *id;
};

/* A token that an edit or the history names. */
struct edited {
    int32_t token;
    int32_t count; /* in the window */
    float bias;
    float x;      /* its logit after the edits */
    int32_t next; /* the next of its block, or -1 */
    bool seen;
    bool banned;
};

struct scratch {
    const struct cpu_loops *loops;

    /* Of the edited row, of what top-k kept of it, and of the raw row. */
    struct blocks blocks;
    struct blocks survivor_blocks;
    struct blocks raw_blocks;

    /* Of each block: the kept tokens. */
    uint64_t *kept_weight;
    int32_t *kept_count;

    /* What top-k kept; what was gathered since; what a selection picks out of
     * either.  Each has room for the row and a block more. */
    struct token_list survivors;
    struct token_list list;
    struct token_list picked;

    /* The edited tokens, and a hash table of 2^table_bits indices of them. */
    struct edited *edited;
    int32_t *table;

    /* A block each, for whoever needs one. */
    float *block;
    uint64_t *weights;
};

/* Bytes for a thread, a multiple of 64. */
size_t scratch_bytes(const struct tessera_config *config);

/* Lays out 'memory', which is aligned to 64. */
void scratch_carve(struct scratch *scratch, const struct cpu_loops *loops,
                   const struct tessera_config *config, void *memory);

/* Blocks of a row with this many tokens. */
static inline size_t block_count(size_t tokens)
{
    return (tokens + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
}

/* Bits of a hash table that is at most half full with this many entries. */
static inline uint32_t table_bits(size_t entries)
{
    uint32_t bits = 4;

    while (((size_t)1 << bits) < 2 * entries)
        bits++;
    return bits;
}

#endif
