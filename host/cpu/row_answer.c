/*
 * row_answer.c - all that is asked of one row
 *
 * Reads the row once for its peaks and again only where weights are needed.
 * What is asked of the raw row costs a sum of all its weights; a row without
 * mask and edits shares the first reading with it.
 */

#include "row_answer.h"

#include "edits.h"
#include "filters.h"
#include "top_k.h"

/* What log-probabilities are relative to. */
struct norm {
    float m;
    float temperature;
    double log_sum;
};

static float logprob_of(const struct norm *norm, float x)
{
    return tessera_logprob(x, norm->m, norm->temperature, norm->log_sum);
}

static void list_best(const struct row_view *view, struct scratch *scratch,
                      const struct norm *norm, size_t n, bool greedy,
                      struct tessera_answer *answer)
{
    struct tessera_ranked ranked[TESSERA_MAX_TOP_LOGPROBS];

    answer->listed = (int32_t)rank_best(view, scratch, n, ranked);
    for (int32_t i = 0; i < answer->listed; i++) {
        answer->top_tokens[i] = view_token(view, (size_t)ranked[i].token);
        answer->top_logprobs[i] = greedy ? 0.0f : logprob_of(norm, ranked[i].x);
    }
}

static void answer_processed(const struct row_view *view,
                             const struct tessera_params *params,
                             const struct tessera_outputs *outputs,
                             struct scratch *scratch,
                             struct tessera_answer *answer)
{
    struct kept kept;
    struct norm norm = {view->m, params->temperature, 0};
    float x = view->m;

    filter_view(&kept, scratch, view, params);
    answer->n_kept = kept.count;
    answer->weight_sum = kept.sum;
    if (kept.greedy) {
        answer->token = best_of(view, scratch);
        answer->logprob = 0.0f;
    } else {
        uint64_t random =
            tessera_random(params->seed, params->stream, params->step);

        answer->token = draw_kept(&kept, scratch,
                                  tessera_draw_target(random, kept.sum), &x);
        if (outputs->logprob || outputs->top_n > 0)
            norm.log_sum = tessera_log_sum(kept.sum);
        answer->logprob = logprob_of(&norm, x);
    }
    if (outputs->top_n > 0 && !outputs->top_raw) {
        size_t n = (size_t)outputs->top_n;

        if ((size_t)kept.count < n)
            n = (size_t)kept.count;
        list_best(&kept.view, scratch, &norm, n, kept.greedy, answer);
    }
}

/* The next float above a finite one. */
static float above(float x)
{
    return nextafterf(x, INFINITY);
}

/* The place of a token with logit x, from 1. */
static int32_t rank_of(const struct row_view *raw, struct scratch *scratch,
                       int32_t token, float x)
{
    size_t at = (size_t)token / BLOCK_TOKENS;
    float next = above(x);
    int32_t rank = 1;

    for (size_t block = 0; block < raw->block_count; block++) {
        /* Of two equal ones the lower id comes first. */
        float threshold = block < at ? x : next;

        if (raw->blocks.peak[block] < x)
            continue;
        const float *logits = view_block(raw, block, scratch->block);
        rank += raw->loops->count(logits, threshold);
        if (block == at)
            for (size_t i = 0; i < (size_t)token % BLOCK_TOKENS; i++)
                rank += logits[i] == x;
    }
    return rank;
}

static void answer_raw(const struct row_view *raw,
                       const struct tessera_outputs *outputs,
                       struct scratch *scratch, struct tessera_answer *answer)
{
    struct weighing weighing = {raw->m, tessera_temperature(1.0f)};
    struct norm norm = {raw->m, 1.0f, 0};

    if (raw->m == -INFINITY)
        return;
    if (outputs->raw_logprob || outputs->top_logprobs)
        norm.log_sum = tessera_log_sum(weigh_view(raw, scratch, &weighing));
    if (answer->token >= 0) {
        size_t block = (size_t)answer->token / BLOCK_TOKENS;
        float x = view_block(raw, block,
                             scratch->block)[answer->token % BLOCK_TOKENS] +
                  0.0f;

        answer->raw_logprob = logprob_of(&norm, x);
        if (outputs->rank)
            answer->rank = rank_of(raw, scratch, answer->token, x);
    }
    if (outputs->top_raw && outputs->top_n > 0)
        list_best(raw, scratch, &norm, (size_t)outputs->top_n, false, answer);
}

void answer_row(const struct tessera_question *question, size_t tokens,
                const struct tessera_outputs *outputs, struct scratch *scratch,
                struct tessera_answer *answer)
{
    struct row_view view;
    struct row_view raw;

    view_raw(&view, scratch, &scratch->blocks, question, tokens);
    view_edit(&view, scratch, question);
    view_find_peaks(&view, scratch->block);

    *answer =
        tessera_no_answer(TESSERA_ROW_EMPTY | (view.nan ? TESSERA_ROW_NAN : 0));
    if (view.m > -INFINITY) {
        answer->status = tessera_question_status(question, view.nan, view.m);
        answer_processed(&view, &question->params, outputs, scratch, answer);
    }
    if (!tessera_wants_raw(outputs))
        return;
    if (view.mask || view.edited) {
        view_raw(&raw, scratch, &scratch->raw_blocks, question, tokens);
        view_find_peaks(&raw, scratch->block);
        answer_raw(&raw, outputs, scratch, answer);
    } else {
        answer_raw(&view, outputs, scratch, answer);
    }
}
