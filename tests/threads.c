/*
 * threads.c - one sampler, several threads
 *
 * A plain program, since Criterion does not start under ThreadSanitizer.  Each
 * thread has a workspace and samples the same batches in an order of its own;
 * all of them must get what one thread got before.  One call in four is
 * refused, so that the texts of last errors are seen to be each thread's own.
 *
 * Prints one line and exits 0, or says what differs and exits 1.
 */

#include <tessera.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, BATCHES = 12, ROWS = 8, VOCAB = 1009 };

struct answers {
    int32_t token[ROWS];
    int32_t n_kept[ROWS];
    uint64_t weight_sum[ROWS];
    float logprob[ROWS];
    float raw_logprob[ROWS];
    int32_t rank[ROWS];
    uint8_t status[ROWS];
};

struct work {
    const struct tessera_sampler *sampler;
    const float *logits;
    const struct answers *expected; /* [BATCHES] */
    int thread;
    bool failed;
};

static bool sample(const struct tessera_sampler *sampler, void *workspace,
                   size_t workspace_bytes, const float *logits, int number,
                   struct answers *answers)
{
    struct tessera_params params[ROWS];
    struct tessera_batch batch = TESSERA_BATCH_INIT;
    struct tessera_outputs outputs = TESSERA_OUTPUTS_INIT;

    for (int row = 0; row < ROWS; row++) {
        params[row] = (struct tessera_params)TESSERA_PARAMS_INIT;
        params[row].temperature = row == 0 ? 0.0f : 0.5f + 0.25f * (float)row;
        params[row].top_k = row % 3 == 0 ? 40 : 0;
        params[row].top_p = row % 2 == 0 ? 0.9f : 1.0f;
        params[row].seed = (uint64_t)row;
        params[row].step = (uint64_t)number;
    }
    batch.rows = ROWS;
    batch.logits = logits;
    batch.logits_rows = ROWS;
    batch.logits_stride = VOCAB;
    batch.params = params;
    memset(answers, 0, sizeof(*answers));
    outputs.token = answers->token;
    outputs.n_kept = answers->n_kept;
    outputs.weight_sum = answers->weight_sum;
    outputs.logprob = answers->logprob;
    outputs.raw_logprob = answers->raw_logprob;
    outputs.rank = answers->rank;
    outputs.status = answers->status;
    return tessera_sample(sampler, workspace, workspace_bytes, &batch, &outputs,
                          NULL) == TESSERA_OK;
}

/* Each thread asks for a number of rows that only it uses. */
static bool keeps_its_own_error(const struct work *work)
{
    char expected[32];
    int rows = -1 - work->thread;

    snprintf(expected, sizeof(expected), "rows is %d;", rows);
    return tessera_workspace_bytes(work->sampler, rows) == 0 &&
           strncmp(tessera_last_error(), expected, strlen(expected)) == 0;
}

static void *run(void *argument)
{
    struct work *work = argument;
    void *workspace;
    size_t workspace_bytes;

    work->failed = true;
    if (tessera_workspace_create(work->sampler, ROWS, &workspace,
                                 &workspace_bytes) != TESSERA_OK)
        return NULL;

    bool right = true;
    for (int i = 0; i < 4 * BATCHES; i++) {
        int number = (i * (2 * work->thread + 1) + work->thread) % BATCHES;
        struct answers answers;

        right = right &&
                sample(work->sampler, workspace, workspace_bytes, work->logits,
                       number, &answers) &&
                memcmp(&answers, &work->expected[number], sizeof(answers)) == 0;
        if (i % 4 == 0)
            right = right && keeps_its_own_error(work);
    }
    tessera_workspace_free(work->sampler, workspace);
    work->failed = !right;
    return NULL;
}

/* What one thread gets. */
static bool sample_alone(const struct tessera_sampler *sampler,
                         const float *logits, struct answers *expected)
{
    void *workspace;
    size_t workspace_bytes;

    if (tessera_workspace_create(sampler, ROWS, &workspace, &workspace_bytes) !=
        TESSERA_OK)
        return false;

    bool sampled = true;
    for (int number = 0; number < BATCHES; number++)
        sampled = sampled && sample(sampler, workspace, workspace_bytes, logits,
                                    number, &expected[number]);
    tessera_workspace_free(sampler, workspace);
    return sampled;
}

static bool check(enum tessera_device device)
{
    static float logits[ROWS * VOCAB];
    static struct answers expected[BATCHES];
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_sampler *sampler;
    struct work works[THREADS];
    pthread_t threads[THREADS];

    for (int i = 0; i < ROWS * VOCAB; i++)
        logits[i] = (float)(i * 7919 % 8191) / 512.0f;
    config.device = device;
    config.vocab = VOCAB;
    if (tessera_create(&config, &sampler) != TESSERA_OK ||
        !sample_alone(sampler, logits, expected)) {
        fprintf(stderr, "threads: %s\n", tessera_last_error());
        return false;
    }

    bool right = true;
    for (int i = 0; i < THREADS; i++) {
        works[i] = (struct work){sampler, logits, expected, i, false};
        if (pthread_create(&threads[i], NULL, run, &works[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (works[i].failed)
            fprintf(stderr, "threads: thread %d differs from one alone\n", i);
        right = right && !works[i].failed;
    }
    tessera_free(sampler);
    return right;
}

int main(void)
{
    static const enum tessera_device devices[] = {TESSERA_DEVICE_REFERENCE,
                                                  TESSERA_DEVICE_CPU};
    bool right = true;
    int checked = 0;

    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        if (tessera_device_count(devices[i]) == 0)
            continue;
        right = check(devices[i]) && right;
        checked++;
    }
    if (right && checked > 0)
        printf("threads: %d threads agree on %d backend%s\n", THREADS, checked,
               checked == 1 ? "" : "s");
    return right && checked > 0 ? 0 : 1;
}
