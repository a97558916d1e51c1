/*
 * loops.h - the loops over logits, a table of them for each instruction set
 *
 * All work on blocks of BLOCK_TOKENS floats, so that no loop has a tail and
 * none reads past a row: what is shorter is copied and filled up with -inf
 * (row_view.c).  Pointers are aligned to a float, no better.  The answers are
 * the same in every table.
 */

#ifndef TESSERA_CPU_LOOPS_H
#define TESSERA_CPU_LOOPS_H

#include "../stages/stages.h"

enum { BLOCK_TOKENS = 256 };

/* What a logit is weighed against. */
struct weighing {
    float m; /* the best logit */
    struct tessera_scale scale;
};

/* Of tokens with x at or above a threshold. */
struct block_sum {
    uint64_t weight;
    int32_t count;
};

struct peak_sum {
    float m;
    bool nan;
};

struct cpu_loops {
    const char *name; /* what TESSERA_CPU_VARIANT calls it */

    /* One block, widened exactly. */
    void (*widen_float16)(const uint16_t *from, float *to);
    void (*widen_bfloat16)(const uint16_t *from, float *to);

    /* One block with -inf where the mask's bit is 0; from may be to. */
    void (*mask)(const float *from, const uint32_t *words, float *to);

    /* One block with -inf for NaN and FLT_MAX for more. */
    void (*settle)(const float *from, float *to);

    /* Of each block: the largest logit that is not a NaN, -inf if there is
     * none, and whether there is a NaN.  Returns the same of all of them. */
    struct peak_sum (*peaks)(const float *x, size_t blocks, float *peak,
                             uint8_t *nan);

    /* Of one block without NaN: the tokens with x >= threshold; and the weight
     * of all its tokens, which weigh() returns. */
    struct block_sum (*weigh_above)(const float *x,
                                    const struct weighing *weighing,
                                    float threshold);
    uint64_t (*weigh)(const float *x, const struct weighing *weighing,
                      float threshold, struct block_sum *from);

    /* The weight of each token of a block. */
    void (*weights)(const float *x, const struct weighing *weighing,
                    uint64_t *weights);

    /* Appends the tokens of a block with low <= x < high, their ids counted
     * from first, in the order of ids.  Returns how many; writes no more than
     * BLOCK_TOKENS entries. */
    size_t (*collect)(const float *x, float low, float high, int32_t first,
                      float *list_x, int32_t *list_id);

    /* How many tokens of a block have x >= threshold. */
    int32_t (*count)(const float *x, float threshold);

    /* The smallest float whose token weighs at least 'weight', which is 1 ..
     * 2^40. */
    float (*lightest)(const struct weighing *weighing, uint64_t weight);
};

#endif
