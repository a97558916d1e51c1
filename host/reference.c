/*
 * reference.c - the reference backend: the stages, one after the other
 *
 * This is the definition of a row's answer, and reads as the contract does.
 * It takes its time: every row is widened, sorted and weighed whole.  The one
 * shortcut: a row that asks what the row before it asked, but for seed, stream
 * and step, only draws again.
 */

#include "answer.h"
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

/* Lists the first tokens of a distribution. */
static void list_top(struct tessera_answer *answer, int32_t top_n,
                     const struct distribution *distribution)
{
    size_t most = (size_t)top_n;
    size_t count = distribution->row.kept;

    answer->listed = (int32_t)(count < most ? count : most);
    for (int32_t i = 0; i < answer->listed; i++) {
        int32_t token = distribution->row.ranked[i].token;

        answer->top_tokens[i] = token;
        answer->top_logprobs[i] = logprob_of(distribution, token);
    }
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

static struct tessera_answer answer(struct reference *reference,
                                    const struct tessera_question *question,
                                    const struct tessera_outputs *outputs)
{
    struct distribution *processed = &reference->processed;
    struct distribution *raw = &reference->raw;
    bool wants_raw = tessera_wants_raw(outputs);

    if (!reference->question.logits ||
        !tessera_question_same_row(&reference->question, question)) {
        process(processed, question);
        reference->question = *question;
    }
    if (wants_raw && reference->raw_logits != question->logits) {
        process_raw(raw, question);
        reference->raw_logits = question->logits;
    }

    bool nan = processed->row.nan;
    struct tessera_answer given =
        tessera_no_answer(TESSERA_ROW_EMPTY | (nan ? TESSERA_ROW_NAN : 0));
    if (processed->row.in > 0) {
        given.token = choose(processed, &question->params);
        given.status =
            tessera_question_status(question, nan, processed->row.ranked[0].x);
        given.n_kept = (int32_t)processed->row.kept;
        given.weight_sum = processed->sum;
        given.logprob = logprob_of(processed, given.token);
        if (wants_raw) {
            given.raw_logprob = logprob_of(raw, given.token);
            given.rank = tessera_rank(&raw->row, given.token);
        }
    }
    list_top(&given, outputs->top_n, outputs->top_raw ? raw : processed);
    return given;
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
        struct tessera_answer given = tessera_no_answer(TESSERA_ROW_INVALID);

        if (tessera_question_read(sampler, batch, row, &question))
            given = answer(&reference, &question, outputs);
        tessera_answer_write(&given, outputs, row);
        tessera_batch_advance(batch, row);
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
