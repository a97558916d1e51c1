/*
 * equality.c - a device's answers against the vectors and the reference
 *
 *   equality CASES BATCHES VECTORS...
 *
 * Asks the CUDA backend the first CASES questions of each file of vectors (0:
 * all), and BATCHES random batches that the reference answers too, with each
 * plan there is.  A plain program: it needs neither Criterion nor jansson.
 * Prints what differs, then one line; exits 1 if anything differs, or if
 * nothing was asked.
 */

#include "../../host/cli/ask_vector.h"
#include "../../host/cli/mirror.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 9, MOST_EDITS = 6, MOST_HISTORY = 40, TOP_N = 5 };

static uint64_t random_state = 1;

static uint64_t random_word(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) +
                   UINT64_C(1442695040888963407);
    return random_state >> 31;
}

static int32_t random_below(int32_t bound)
{
    return (int32_t)(random_word() % (uint64_t)bound);
}

static bool one_in(int32_t n)
{
    return random_below(n) == 0;
}

/* A batch, its questions and its two answers. */
struct question {
    struct tessera_batch batch;
    struct tessera_params params[MOST_ROWS];
    struct tessera_bias biases[MOST_ROWS * MOST_EDITS];
    int32_t bans[MOST_ROWS * MOST_EDITS];
    int64_t bias_offsets[MOST_ROWS + 1];
    int64_t ban_offsets[MOST_ROWS + 1];
    int32_t history[MOST_ROWS * MOST_HISTORY];
    int64_t history_offsets[MOST_ROWS];
    int64_t history_lengths[MOST_ROWS];
    float maxima[MOST_ROWS];
};

struct answer {
    int32_t token[MOST_ROWS];
    float logprob[MOST_ROWS];
    float raw_logprob[MOST_ROWS];
    int32_t rank[MOST_ROWS];
    int32_t top_tokens[MOST_ROWS * TOP_N];
    float top_logprobs[MOST_ROWS * TOP_N];
    int32_t n_kept[MOST_ROWS];
    uint64_t weight_sum[MOST_ROWS];
    uint8_t status[MOST_ROWS];
};

static void ask_params(struct tessera_params *params)
{
    *params = (struct tessera_params)TESSERA_PARAMS_INIT;
    params->temperature = one_in(6) ? 0.0f : 0.25f * (float)random_below(9);
    params->top_k = one_in(2) ? 0 : 1 + random_below(60);
    params->top_p = one_in(2) ? 1.0f : 0.125f * (float)random_below(9);
    params->min_p = one_in(3) ? 0.0625f * (float)random_below(5) : 0.0f;
    if (one_in(3)) {
        params->repetition_penalty = 1.25f;
        params->frequency_penalty = 0.5f * (float)random_below(3);
        params->presence_penalty = 0.25f;
        params->penalize_prompt = random_below(2);
    }
    params->seed = random_word();
    params->step = random_word();
}

/* Logits with ties, and now and then one that is no number. */
static void *ask_logits(struct pool *pool, const struct tessera_batch *batch)
{
    size_t bytes = dtype_bytes(batch->logits_type);
    size_t count = (size_t)batch->rows * (size_t)batch->logits_stride;
    char *logits = pool_take(pool, count, bytes);

    for (size_t i = 0; i < count && !pool->failed; i++) {
        float value = (float)(random_below(4096) - 2048) / 128.0f;

        if (one_in(5000))
            value = one_in(2) ? NAN : -INFINITY;
        round_to_dtype(value, batch->logits_type, logits + i * bytes);
    }
    return logits;
}

static void ask_lists(struct question *q, int32_t vocab)
{
    struct tessera_batch *batch = &q->batch;
    int64_t biases = 0, bans = 0;

    for (int32_t row = 0; row < batch->rows; row++) {
        int32_t token = random_below(vocab / 8 + 1);

        for (int32_t n = random_below(MOST_EDITS); n > 0 && token < vocab;
             n--) {
            q->biases[biases++] = (struct tessera_bias){
                token, one_in(4) ? -INFINITY : (float)random_below(9) - 4.0f};
            token += 1 + random_below(vocab / 8 + 1);
        }
        for (int32_t n = random_below(MOST_EDITS); n > 0; n--)
            q->bans[bans++] = random_below(vocab);
        q->bias_offsets[row + 1] = biases;
        q->ban_offsets[row + 1] = bans;
        q->history_offsets[row] = row * MOST_HISTORY;
        q->history_lengths[row] = random_below(MOST_HISTORY);
        for (int32_t i = 0; i < MOST_HISTORY; i++)
            q->history[row * MOST_HISTORY + i] = random_below(vocab);
    }
    batch->biases = q->biases;
    batch->bias_offsets = q->bias_offsets;
    batch->bans = q->bans;
    batch->ban_offsets = q->ban_offsets;
    batch->generated = (struct tessera_history){q->history, q->history_offsets,
                                                q->history_lengths};
}

/* What a long row's largest logit likely is, in each type, or nothing. */
static void ask_maxima(struct question *q)
{
    float likely =
        q->batch.logits_type == TESSERA_BFLOAT16 ? 16 : 2047 / 128.0f;

    for (int32_t row = 0; row < q->batch.rows; row++)
        q->maxima[row] = one_in(3) ? NAN : likely;
    q->batch.row_maxima = q->maxima;
}

static void ask(struct question *q, struct pool *pool, int32_t vocab)
{
    *q = (struct question){.batch = TESSERA_BATCH_INIT};
    q->batch.rows = 1 + random_below(MOST_ROWS);
    q->batch.logits_type = (enum tessera_dtype)random_below(3);
    q->batch.logits_stride = vocab + random_below(9);
    q->batch.logits_rows = q->batch.rows;
    q->batch.params = q->params;
    q->batch.logits = ask_logits(pool, &q->batch);
    for (int32_t row = 0; row < q->batch.rows; row++)
        ask_params(&q->params[row]);
    if (one_in(2))
        ask_maxima(q);
    if (one_in(2))
        ask_lists(q, vocab);
    if (one_in(3)) {
        size_t words = ((size_t)vocab + 31) / 32;
        uint32_t *mask = pool_take(pool, words, sizeof(*mask));

        for (size_t i = 0; i < words && !pool->failed; i++)
            mask[i] = (uint32_t)random_word();
        q->batch.masks = mask;
        q->batch.mask_stride = (int64_t)words;
        q->batch.mask_count = 1;
        q->batch.mask_index = pool_take(pool, MOST_ROWS, sizeof(int32_t));
    }
}

static enum tessera_status answer(struct tessera_config *config,
                                  const struct question *q,
                                  struct answer *answer)
{
    struct tessera_outputs outputs = TESSERA_OUTPUTS_INIT;
    struct tessera_sampler *sampler;
    void *workspace = NULL;
    size_t workspace_bytes;

    memset(answer, 0, sizeof(*answer));
    outputs.token = answer->token;
    outputs.logprob = answer->logprob;
    outputs.raw_logprob = answer->raw_logprob;
    outputs.rank = answer->rank;
    outputs.top_tokens = answer->top_tokens;
    outputs.top_logprobs = answer->top_logprobs;
    outputs.top_n = TOP_N;
    outputs.n_kept = answer->n_kept;
    outputs.weight_sum = answer->weight_sum;
    outputs.status = answer->status;
    enum tessera_status status = tessera_create(config, &sampler);
    if (status == TESSERA_OK)
        status = tessera_workspace_create(sampler, q->batch.rows, &workspace,
                                          &workspace_bytes);
    if (status == TESSERA_OK)
        status = mirror_sample(sampler, config, workspace, workspace_bytes,
                               &q->batch, &outputs);
    tessera_workspace_free(sampler, workspace);
    tessera_free(sampler);
    return status;
}

/* How many plans differ; *compared counts those that there are. */
static int compare_batch(int number, int *compared)
{
    static const int32_t vocabs[] = {33, 1000, 5003, 1000, 33, 40000};
    static struct question q;
    struct answer expected, given;
    struct pool pool = {0};
    struct tessera_config config = TESSERA_CONFIG_INIT;
    int differing = 0;

    config.vocab = vocabs[number % 6];
    config.max_rows = MOST_ROWS;
    ask(&q, &pool, config.vocab);
    if (pool.failed || answer(&config, &q, &expected) != TESSERA_OK) {
        printf("batch %d: no answer to compare with\n", number);
        pool_free(&pool);
        return 1;
    }
    config.device = TESSERA_DEVICE_CUDA;
    for (uint32_t plan = TESSERA_PLAN_STAGED; plan <= TESSERA_PLAN_FUSED;
         plan *= 2) {
        config.plans = plan;
        enum tessera_status status = answer(&config, &q, &given);
        if (status == TESSERA_UNAVAILABLE)
            continue;
        ++*compared;
        if (status != TESSERA_OK || memcmp(&given, &expected, sizeof(given))) {
            printf("batch %d, plan %u: %s\n", number, (unsigned)plan,
                   status == TESSERA_OK ? "differs" : tessera_last_error());
            differing++;
        }
    }
    pool_free(&pool);
    return differing;
}

/* Asks the case of each plan that there is.  How many differ. */
static int compare_case(const char *path, const struct vector_case *asked,
                        int *compared)
{
    struct backend_choice backend = {.device = TESSERA_DEVICE_CUDA};
    void *logits = vector_logits(asked);
    int differing = 0;

    for (uint32_t plan = TESSERA_PLAN_STAGED; plan <= TESSERA_PLAN_FUSED;
         plan *= 2) {
        struct launches launches = LAUNCHES_INIT;
        struct vector_outcome outcome;

        backend.plans = plan;
        ask_vector(&backend, asked, logits, &launches, &outcome);
        if (outcome.status != TESSERA_UNAVAILABLE) {
            bool equal = outcome.status == TESSERA_OK && !outcome.output &&
                         launches.kernels.count > 0;

            ++*compared;
            differing += !equal;
            if (!equal)
                printf("%s:%zu, plan %u: %s\n", path, asked->line,
                       (unsigned)plan,
                       outcome.output ? outcome.output : tessera_last_error());
        }
        vector_outcome_free(&outcome);
        launches_free(&launches);
    }
    free(logits);
    return differing;
}

/* How many answers differ; -1: the file cannot be read. */
static int compare_vectors(const char *path, int most, int *compared)
{
    char error[VECTOR_ERROR_BYTES];
    size_t size;
    char *bytes = vectors_load(path, &size, error);
    struct vector_case asked;
    enum vector_result result = VECTOR_END;
    int differing = 0;

    if (!bytes) {
        printf("%s: %s\n", path, error);
        return -1;
    }
    struct vector_reader reader = VECTOR_READER_INIT(bytes, size);
    for (int n = 0; most == 0 || n < most; n++) {
        result = vector_next(&reader, &asked, error);
        if (result != VECTOR_READ)
            break;
        differing += compare_case(path, &asked, compared);
        vector_free(&asked);
    }
    free(bytes);
    if (result == VECTOR_MALFORMED)
        printf("%s: %s\n", path, error);
    return result == VECTOR_MALFORMED ? -1 : differing;
}

int main(int argc, char **argv)
{
    int differing = 0, vectors = 0, batches = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: equality CASES BATCHES VECTORS...\n");
        return 2;
    }
    if (tessera_device_count(TESSERA_DEVICE_CUDA) == 0) {
        printf("equality: no CUDA device is here\n");
        return 1;
    }
    for (int i = 3; i < argc; i++) {
        int found = compare_vectors(argv[i], atoi(argv[1]), &vectors);

        if (found < 0)
            return 1;
        differing += found;
    }
    for (int i = 0; i < atoi(argv[2]); i++)
        differing += compare_batch(i, &batches);
    printf("%d answers to vectors and %d to random batches, %d differ\n",
           vectors, batches, differing);
    return differing == 0 && vectors + batches > 0 ? 0 : 1;
}
