/*
 * ask_vector.c - put a question of a vectors file to a backend
 */

#include "ask_vector.h"

#include "mirror.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A segment of the history that is the same in every row. */
static struct tessera_history history(struct pool *pool, int32_t rows,
                                      const int32_t *tokens, int32_t length)
{
    int64_t *offsets = pool_take(pool, (size_t)rows, sizeof(*offsets));
    int64_t *lengths = pool_take(pool, (size_t)rows, sizeof(*lengths));

    for (int32_t row = 0; row < rows && !pool->failed; row++)
        lengths[row] = length;
    return (struct tessera_history){tokens, offsets, lengths};
}

/* A list of edits, once for every row, and the offsets of its copies. */
static void *repeat(struct pool *pool, int32_t rows, const void *list,
                    int32_t count, size_t bytes, const int64_t **offsets)
{
    size_t list_bytes = (size_t)count * bytes;
    char *copies = pool_take(pool, (size_t)rows * (size_t)count, bytes);
    int64_t *starts = pool_take(pool, (size_t)rows + 1, sizeof(*starts));

    *offsets = starts;
    for (int32_t row = 0; row < rows && !pool->failed; row++) {
        if (count > 0)
            memcpy(copies + (size_t)row * list_bytes, list, list_bytes);
        starts[row + 1] = starts[row] + count;
    }
    return copies;
}

/* The batch that asks the question; not to be used if pool->failed. */
static struct tessera_batch
ask(struct pool *pool, const struct vector_case *asked, const void *logits)
{
    struct tessera_batch batch = TESSERA_BATCH_INIT;
    int32_t rows = asked->steps;
    struct tessera_params *params =
        pool_take(pool, (size_t)rows, sizeof(*params));
    const int32_t *generated =
        asked->history == NULL ? NULL : asked->history + asked->prompt_length;

    for (int32_t row = 0; row < rows && !pool->failed; row++) {
        params[row] = asked->params;
        params[row].step += (uint64_t)row;
    }
    batch.rows = rows;
    batch.logits_type = asked->dtype;
    batch.logits = logits;
    batch.logits_stride = asked->vocab;
    batch.logits_rows = 1;
    batch.row_index = pool_take(pool, (size_t)rows, sizeof(*batch.row_index));
    batch.params = params;
    batch.prompt = history(pool, rows, asked->history, asked->prompt_length);
    batch.generated = history(pool, rows, generated,
                              asked->history_length - asked->prompt_length);
    batch.biases = repeat(pool, rows, asked->biases, asked->bias_count,
                          sizeof(*asked->biases), &batch.bias_offsets);
    batch.bans = repeat(pool, rows, asked->bans, asked->ban_count,
                        sizeof(*asked->bans), &batch.ban_offsets);
    return batch;
}

static struct tessera_outputs outputs(struct pool *pool, size_t rows)
{
    struct tessera_outputs wanted = TESSERA_OUTPUTS_INIT;

    wanted.token = pool_take(pool, rows, sizeof(*wanted.token));
    wanted.logprob = pool_take(pool, rows, sizeof(*wanted.logprob));
    wanted.raw_logprob = pool_take(pool, rows, sizeof(*wanted.raw_logprob));
    wanted.n_kept = pool_take(pool, rows, sizeof(*wanted.n_kept));
    wanted.weight_sum = pool_take(pool, rows, sizeof(*wanted.weight_sum));
    wanted.status = pool_take(pool, rows, sizeof(*wanted.status));
    return wanted;
}

static enum tessera_status answer(const struct backend_choice *backend,
                                  const struct vector_case *asked,
                                  const struct tessera_batch *batch,
                                  struct launches *launches,
                                  const struct tessera_outputs *given)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_sampler *sampler;
    void *workspace = NULL;
    size_t workspace_bytes;

    config.device = backend->device;
    config.device_ordinal = backend->ordinal;
    config.plans = backend->plans;
    launches_watch(launches, &config);
    config.vocab = asked->vocab;
    config.max_rows = asked->steps;
    config.max_history = asked->history_length;
    config.max_edits = asked->bias_count + asked->ban_count;
    config.max_top_logprobs = 0;
    enum tessera_status status = tessera_create(&config, &sampler);
    if (status == TESSERA_OK)
        status = tessera_workspace_create(sampler, batch->rows, &workspace,
                                          &workspace_bytes);
    if (status == TESSERA_OK)
        status = mirror_sample(sampler, &config, workspace, workspace_bytes,
                               batch, given);
    tessera_workspace_free(sampler, workspace);
    tessera_free(sampler);
    return status;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Writes the answer that the file gives, as outputs. */
static void expect(const struct vector_answer *claim, int32_t rows,
                   const struct tessera_outputs *expected)
{
    bool empty = claim->kind == VECTOR_EMPTY;
    int status = (empty ? TESSERA_ROW_EMPTY : TESSERA_ROW_OK) |
                 (claim->nan ? TESSERA_ROW_NAN : TESSERA_ROW_OK);

    for (int32_t row = 0; row < rows; row++) {
        expected->status[row] = (uint8_t)status;
        expected->n_kept[row] = claim->n_kept;
        expected->weight_sum[row] = claim->weight_sum;
        if (empty)
            expected->token[row] = -1;
        else
            expected->token[row] =
                claim->tokens[claim->kind == VECTOR_DRAW ? row : 0];
    }
    expected->logprob[0] = -INFINITY;
    expected->raw_logprob[0] = -INFINITY;
    if (!empty) {
        memcpy(expected->logprob, &claim->logprob, sizeof(claim->logprob));
        memcpy(expected->raw_logprob, &claim->raw_logprob,
               sizeof(claim->raw_logprob));
    }
}

/* The first row whose outputs differ, and in what; NULL: they are equal. */
static const char *difference(const struct tessera_outputs *expected,
                              const struct tessera_outputs *given, int32_t rows,
                              int32_t *row)
{
    for (*row = 0; *row < rows; ++*row) {
        int32_t i = *row;
        if (expected->status[i] != given->status[i])
            return "status";
        if (expected->token[i] != given->token[i])
            return "token";
        if (expected->n_kept[i] != given->n_kept[i])
            return "n_kept";
        if (expected->weight_sum[i] != given->weight_sum[i])
            return "weight_sum";
        if (i > 0)
            continue;
        if (bits_of(expected->logprob[0]) != bits_of(given->logprob[0]))
            return "logprob";
        if (bits_of(expected->raw_logprob[0]) != bits_of(given->raw_logprob[0]))
            return "raw_logprob";
    }
    return NULL;
}

void ask_vector(const struct backend_choice *backend,
                const struct vector_case *asked, const void *logits,
                struct launches *launches, struct vector_outcome *outcome)
{
    struct pool *pool = &outcome->pool;

    *outcome = (struct vector_outcome){0};
    struct tessera_batch batch = ask(pool, asked, logits);
    outcome->expected = outputs(pool, (size_t)batch.rows);
    outcome->given = outputs(pool, (size_t)batch.rows);
    if (pool->failed) {
        outcome->status = TESSERA_OUT_OF_MEMORY;
        return;
    }
    expect(&asked->answer, batch.rows, &outcome->expected);
    outcome->status = answer(backend, asked, &batch, launches, &outcome->given);
    if (outcome->status == TESSERA_OK)
        outcome->output = difference(&outcome->expected, &outcome->given,
                                     batch.rows, &outcome->row);
}

void vector_outcome_free(struct vector_outcome *outcome)
{
    pool_free(&outcome->pool);
}
