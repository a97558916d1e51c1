/*
 * stages.h - the stages of a row, in their order
 *
 *     logits -> mask -> bias -> penalties -> order -> temperature -> weight
 *            -> top_k -> top_p -> min_p -> softmax -> draw -> token
 *            (+ logprobs)
 *
 * Each is defined in the file of its name, and these definitions decide: every
 * other path must give the same bits.  Values are in their ranges (checked
 * before); from temperature on the row has a token.  They run with the default
 * floating-point environment.
 */

#ifndef TESSERA_STAGES_H
#define TESSERA_STAGES_H

#include "../row.h"
#include "weight.h"

#include <tessera.h>

/* Widens a row of 'vocab' logits into row->x. */
void tessera_logits(struct tessera_row *row, const void *logits,
                    enum tessera_dtype type);

/* One logit, widened exactly. */
float tessera_widen(const void *logits, enum tessera_dtype type, size_t token);

/* Takes out what the mask (NULL: none) does not allow and what is banned, then
 * the NaN among the rest, and notes that there was one. */
void tessera_mask(struct tessera_row *row, const uint32_t *mask,
                  const int32_t *bans, size_t ban_count);

void tessera_bias(struct tessera_row *row, const struct tessera_bias *biases,
                  size_t bias_count);

/* A row's history in its two segments. */
struct tessera_past {
    const int32_t *prompt;
    size_t prompt_length;
    const int32_t *generated;
    size_t generated_length;
};

/* What the three penalties look at: the last entries of each segment. */
struct tessera_window {
    const int32_t *prompt;
    size_t prompt_length;
    const int32_t *generated;
    size_t generated_length;
};

/* False: the penalties are off, and no window is looked at. */
bool tessera_penalties_on(const struct tessera_params *params);
struct tessera_window
tessera_penalty_window(const struct tessera_past *past,
                       const struct tessera_params *params);

void tessera_penalties(struct tessera_row *row, const struct tessera_past *past,
                       const struct tessera_params *params);

/* Settles what is left of infinities and zeros, then ranks the tokens that are
 * in; all of them are kept so far. */
void tessera_order(struct tessera_row *row);

bool tessera_is_greedy(float temperature);
struct tessera_scale tessera_temperature(float temperature);

/* The weight of a token whose logit is x - m = distance <= 0 from the best. */
uint64_t tessera_weight(float distance, struct tessera_scale scale);

/* Weighs every ranked token against the first. */
void tessera_weigh(struct tessera_row *row, struct tessera_scale scale);

void tessera_top_k(struct tessera_row *row, int32_t k);

/* Kept by top-p while the weight before, times 2^32, is below this share of
 * what top-k kept: p on a grid of 2^-32. */
uint64_t tessera_top_p_share(float p);
void tessera_top_p(struct tessera_row *row, float p);

/* What a token must weigh to be kept by min-p; at least 1. */
uint64_t tessera_min_p_threshold(float q);
void tessera_min_p(struct tessera_row *row, float q);

/* Sum of the kept weights, the denominator of every probability. */
uint64_t tessera_softmax(const struct tessera_row *row);

/* The random 64 bits of a row's step. */
uint64_t tessera_random(uint64_t seed, uint64_t stream, uint64_t step);

/* floor(random * sum / 2^64). */
uint64_t tessera_draw_target(uint64_t random, uint64_t sum);

/* Lays the kept tokens side by side in the order of their ids, for any number
 * of draws. */
void tessera_lay_out(struct tessera_row *row);

/* The kept token that holds a target below the sum. */
int32_t tessera_draw(const struct tessera_row *row, uint64_t target);

/* ln(sum / 2^40). */
double tessera_log_sum(uint64_t sum);

/* The log-probability of a token whose logit is x, the best being m. */
float tessera_logprob(float x, float m, float temperature, double log_sum);

/* The place of a token in a ranked row, from 1. */
int32_t tessera_rank(const struct tessera_row *row, int32_t token);

#endif
