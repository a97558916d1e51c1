/*
 * reference.c - the reference backend: the stages, one after the other
 *
 * This is the definition of a row's answer, and reads as the contract does.
 * It takes its time: every row is widened, sorted and weighed whole.  The one
 * shortcut: a row that asks what the row before it asked, but for seed, stream
 * and step, only draws again.
 */

#include "memory.h"
#include "question.h"
#include "sampler.h"

#include <math.h>

/* A row after its filters, with what its answers need. */
struct distribution {
    struct tessera_row row;
    uint64_t sum;
    double log_sum;
    float temperature;
    bool greedy;
};

/* What the workspace holds. */
struct reference {
    struct distribution processed;
    struct distribution raw;

    /* What the two are of; NULL logits: of nothing yet. */
    struct tessera_question question;
    const void *raw_logits;
};

static int32_t device_count(const char **why)
{
    (void)why; /* always there */
    return 1;
}

/* Of a token: its place in the scratch, which both distributions share since no
 * stage needs it for longer than it runs, and in the two rankings; the sum that
 * draws go by; its two logits. */
#define BYTES_A_TOKEN                                                          \
    (3 * sizeof(struct tessera_ranked) + sizeof(uint64_t) + 2 * sizeof(float))

static size_t workspace_bytes(const struct tessera_sampler *sampler,
                              int32_t rows)
{
    (void)rows; /* one after the other */
    return (size_t)sampler->config.vocab * BYTES_A_TOKEN;
}

static void carve(struct reference *reference, int32_t vocab, void *workspace)
{
    size_t count = (size_t)vocab;
    struct tessera_ranked *ranked = workspace;
    uint64_t *weight_up_to = (uint64_t *)(void *)(ranked + 3 * count);
    float *x = (float *)(void *)(weight_up_to + count);

    *reference = (struct reference){0};
    reference->processed.row = (struct tessera_row){
        .vocab = vocab,
        .scratch = ranked,
        .ranked = ranked + count,
        .weight_up_to = weight_up_to,
        .x = x,
    };
    reference->raw.row = (struct tessera_row){
        .vocab = vocab,
        .scratch = ranked,
        .ranked = ranked + 2 * count,
        .x = x + count,
    };
}

static void close_distribution(struct distribution *distribution)
{
    distribution->sum = tessera_softmax(&distribution->row);
    distribution->log_sum = tessera_log_sum(distribution->sum);
}

/* The row as drawn from. */
static void process(struct distribution *processed,
                    const struct tessera_question *question)
{
    struct tessera_row *row = &processed->row;
    const struct tessera_params *params = &question->params;

    tessera_logits(row, question->logits, question->logits_type);
    tessera_mask(row, question->mask, question->edits.bans,
                 (size_t)question->edits.ban_count);
    tessera_bias(row, question->edits.biases,
                 (size_t)question->edits.bias_count);
    tessera_penalties(row, &question->past, params);
    tessera_order(row);
    processed->temperature = params->temperature;
    processed->greedy = tessera_is_greedy(params->temperature);
    if (row->in == 0)
        return;

    if (processed->greedy) {
        row->kept = 1;
        row->ranked[0].weight = TESSERA_WEIGHT_ONE;
    } else {
        tessera_weigh(row, tessera_temperature(params->temperature));
        tessera_top_k(row, params->top_k);
        tessera_top_p(row, params->top_p);
        tessera_min_p(row, params->min_p);
        tessera_lay_out(row);
    }
    close_distribution(processed);
}

/* The row as the caller gave it, at temperature 1. */
static void process_raw(struct distribution *raw,
                        const struct tessera_question *question)
{
    tessera_logits(&raw->row, question->logits, question->logits_type);
    tessera_mask(&raw->row, NULL, NULL, 0); /* NaN is out here too */
    tessera_order(&raw->row);
    raw->temperature = 1.0f;
    raw->greedy = false;
    if (raw->row.in == 0)
        return;
    tessera_weigh(&raw->row, tessera_temperature(1.0f));
    close_distribution(raw);
}

/* The log-probability of a kept token. */
static float logprob_of(const struct distribution *distribution, int32_t token)
{
    const struct tessera_row *row = &distribution->row;

    if (distribution->greedy)
        return 0.0f; /* only the best is kept */
    return tessera_logprob(row->x[token], row->ranked[0].x,
                           distribution->temperature, distribution->log_sum);
}

/* Lists the first tokens of a distribution; NULL: has none. */
static void write_top(const struct tessera_outputs *outputs, int32_t row,
                      const struct distribution *distribution)
{
    size_t first = (size_t)row * (size_t)outputs->top_n;
    size_t count = distribution ? distribution->row.kept : 0;

    for (size_t i = 0; i < (size_t)outputs->top_n; i++) {
        int32_t token = -1;
        float logprob = -INFINITY;

        if (i < count) {
            token = distribution->row.ranked[i].token;
            logprob = logprob_of(distribution, token);
        }
        if (outputs->top_tokens)
            outputs->top_tokens[first + i] = token;
        if (outputs->top_logprobs)
            outputs->top_logprobs[first + i] = logprob;
    }
}

/* All of a row's outputs but its list of top tokens, as they are when no token
 * was drawn. */
static void write_no_token(const struct tessera_outputs *outputs, int32_t row,
                           uint8_t status)
{
    if (outputs->token)
        outputs->token[row] = -1;
    if (outputs->status)
        outputs->status[row] = status;
    if (outputs->n_kept)
        outputs->n_kept[row] = 0;
    if (outputs->weight_sum)
        outputs->weight_sum[row] = 0;
    if (outputs->logprob)
        outputs->logprob[row] = -INFINITY;
    if (outputs->raw_logprob)
        outputs->raw_logprob[row] = -INFINITY;
    if (outputs->rank)
        outputs->rank[row] = 0;
}

static void write_token(const struct tessera_outputs *outputs, int32_t row,
                        int32_t token, uint8_t status,
                        const struct distribution *processed,
                        const struct distribution *raw)
{
    if (outputs->token)
        outputs->token[row] = token;
    if (outputs->status)
        outputs->status[row] = status;
    if (outputs->n_kept)
        outputs->n_kept[row] = (int32_t)processed->row.kept;
    if (outputs->weight_sum)
        outputs->weight_sum[row] = processed->sum;
    if (outputs->logprob)
        outputs->logprob[row] = logprob_of(processed, token);
    if (outputs->raw_logprob)
        outputs->raw_logprob[row] = logprob_of(raw, token);
    if (outputs->rank)
        outputs->rank[row] = tessera_rank(&raw->row, token);
}

static bool wants_raw(const struct tessera_outputs *outputs)
{
    return outputs->raw_logprob || outputs->rank ||
           (outputs->top_raw && outputs->top_n > 0);
}

static int32_t choose(const struct distribution *processed,
                      const struct tessera_params *params)
{
    if (processed->greedy)
        return processed->row.ranked[0].token;

    uint64_t random =
        tessera_random(params->seed, params->stream, params->step);
    return tessera_draw(&processed->row,
                        tessera_draw_target(random, processed->sum));
}

static void answer(struct reference *reference,
                   const struct tessera_question *question,
                   const struct tessera_outputs *outputs, int32_t row)
{
    struct distribution *processed = &reference->processed;
    struct distribution *raw = &reference->raw;

    if (!reference->question.logits ||
        !tessera_question_same_row(&reference->question, question)) {
        process(processed, question);
        reference->question = *question;
    }
    if (wants_raw(outputs) && reference->raw_logits != question->logits) {
        process_raw(raw, question);
        reference->raw_logits = question->logits;
    }

    uint8_t status = processed->row.nan ? TESSERA_ROW_NAN : TESSERA_ROW_OK;
    if (processed->row.in == 0)
        write_no_token(outputs, row, status | TESSERA_ROW_EMPTY);
    else
        write_token(outputs, row, choose(processed, &question->params), status,
                    processed, raw);
    write_top(outputs, row, outputs->top_raw ? raw : processed);
}

static void advance_step(struct tessera_params *params)
{
    if (params->step < UINT64_C(1) << 62)
        params->step++;
}

static enum tessera_status sample(const struct tessera_sampler *sampler,
                                  void *workspace,
                                  const struct tessera_batch *batch,
                                  const struct tessera_outputs *outputs,
                                  tessera_stream stream)
{
    struct reference reference;
    struct tessera_question question;

    (void)stream;
    carve(&reference, sampler->config.vocab, workspace);
    for (int32_t row = 0; row < batch->rows; row++) {
        if (tessera_question_read(sampler, batch, row, &question)) {
            answer(&reference, &question, outputs, row);
        } else {
            write_no_token(outputs, row, TESSERA_ROW_INVALID);
            write_top(outputs, row, NULL);
        }
        if (batch->advance_step)
            advance_step(tessera_batch_params(batch, row));
    }
    return TESSERA_OK;
}

const struct tessera_backend tessera_reference_backend = {
    .name = "reference",
    .device_count = device_count,
    .workspace_bytes = workspace_bytes,
    .memory_create = tessera_host_memory_create,
    .memory_write = tessera_host_memory_copy,
    .memory_read = tessera_host_memory_copy,
    .memory_free = tessera_host_memory_free,
    .sample = sample,
};
