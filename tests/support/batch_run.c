/*
 * batch_run.c - backends, and a built batch run on one
 */

#include "batch_builder.h"
#include "floats.h"

#include "../../host/cli/mirror.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct backend backends[] = {
    {TESSERA_DEVICE_REFERENCE, "reference"},
    {TESSERA_DEVICE_CPU, "cpu"},
    {TESSERA_DEVICE_CUDA, "cuda"},
};

const struct backend *next_backend(const struct backend *previous,
                                   bool host_memory)
{
    const struct backend *end =
        backends + sizeof(backends) / sizeof(backends[0]);
    const struct backend *next = previous ? previous + 1 : backends;

    cr_assert(tessera_device_count(TESSERA_DEVICE_REFERENCE) == 1,
              "the reference backend is not there");
    while (next < end && (tessera_device_count(next->device) == 0 ||
                          (host_memory && next->device == TESSERA_DEVICE_CUDA)))
        next++;
    return next < end ? next : NULL;
}

bool tests_are_quick(void)
{
    return getenv("TESSERA_QUICK_TESTS") != NULL;
}

struct test_row row_of(enum tessera_dtype type, int32_t vocab,
                       const void *logits)
{
    struct test_row row = {
        .type = type, .vocab = vocab, .logits = logits, .maximum = NAN};

    row.params = (struct tessera_params)TESSERA_PARAMS_INIT;
    row.params.seed = 42;
    return row;
}

uint32_t stages_of(const struct tessera_params *params)
{
    uint32_t stages = 0;

    if (params->repetition_penalty != 1.0f || params->frequency_penalty != 0 ||
        params->presence_penalty != 0)
        stages |= TESSERA_STAGE_PENALTIES;
    if (params->temperature >= float_of_bits(0x3727c5ac))
        stages |= TESSERA_STAGE_DRAW;
    if (params->top_k > 0)
        stages |= TESSERA_STAGE_TOP_K;
    if (params->top_p < 1)
        stages |= TESSERA_STAGE_TOP_P;
    if (params->min_p > 0)
        stages |= TESSERA_STAGE_MIN_P;
    return stages;
}

/* The plans that TESSERA_TEST_PLAN names, for a suite to run with each; 0: any.
 */
static uint32_t test_plans(void)
{
    const char *name = getenv("TESSERA_TEST_PLAN");

    if (!name || !*name)
        return 0;
    cr_assert(strcmp(name, "staged") == 0 || strcmp(name, "fused") == 0,
              "TESSERA_TEST_PLAN is '%s'; it takes staged or fused", name);
    return strcmp(name, "staged") == 0 ? TESSERA_PLAN_STAGED
                                       : TESSERA_PLAN_FUSED;
}

/* A sampler for these rows and no more. */
static struct tessera_config tight_config(const struct backend *backend,
                                          const struct test_row *rows,
                                          size_t count)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;

    config.device = backend->device;
    config.vocab = rows[0].vocab;
    config.max_rows = (int32_t)count;
    config.max_history = 0;
    config.max_edits = 0;
    config.max_top_logprobs = TOP_N;
    config.plans = test_plans();
    for (size_t row = 0; row < count; row++) {
        int32_t history =
            (int32_t)(rows[row].prompt.count + rows[row].generated.count);
        int32_t edits = (int32_t)(rows[row].bias.count + rows[row].bans.count);

        if (history > config.max_history)
            config.max_history = history;
        if (edits > config.max_edits)
            config.max_edits = edits;
    }
    return config;
}

/* A sampler for call->config, and a workspace for this many rows. */
static void open_sampler(struct call *call, const struct backend *backend,
                         size_t count)
{
    cr_assert(tessera_create(&call->config, &call->sampler) == TESSERA_OK,
              "%s: tessera_create: %s", backend->name, tessera_last_error());
    cr_assert(tessera_workspace_create(call->sampler, (int32_t)count,
                                       &call->workspace,
                                       &call->workspace_bytes) == TESSERA_OK,
              "%s: %s", backend->name, tessera_last_error());
}

static void close_sampler(struct call *call)
{
    tessera_workspace_free(call->sampler, call->workspace);
    tessera_free(call->sampler);
}

static void poison_workspace(const struct call *call)
{
    void *poison = malloc(call->workspace_bytes);

    cr_assert(poison, "no memory for the workspace");
    memset(poison, 0xa5, call->workspace_bytes);
    tessera_memory_write(call->sampler, call->workspace, poison,
                         call->workspace_bytes);
    free(poison);
}

static void free_arrays(struct call *call)
{
    for (size_t i = 0; i < call->array_count; i++)
        free(call->arrays[i]);
}

void call_build(struct call *call, const struct backend *backend,
                const struct test_row *rows, size_t count,
                const struct layout *layout,
                const struct tessera_config *config)
{
    memset(call, 0, sizeof(*call));
    call->config = config ? *config : tight_config(backend, rows, count);
    open_sampler(call, backend, count);
    build_batch(call, rows, count, layout);
    poison_workspace(call);
}

enum tessera_status call_run(struct call *call)
{
    void *before[CALL_ARRAYS];

    for (size_t i = 0; i < call->input_count; i++) {
        before[i] = malloc(call->array_bytes[i]);
        cr_assert(before[i]);
        memcpy(before[i], call->arrays[i], call->array_bytes[i]);
    }
    enum tessera_status status =
        mirror_sample(call->sampler, &call->config, call->workspace,
                      call->workspace_bytes, &call->batch, &call->outputs);
    for (size_t i = 0; i < call->input_count; i++) {
        bool params = (void *)call->batch.params == call->arrays[i];

        cr_assert(
            (params && call->batch.advance_step) ||
                memcmp(before[i], call->arrays[i], call->array_bytes[i]) == 0,
            "input array %zu was written", i);
        free(before[i]);
    }
    return status;
}

struct row_result call_result(const struct call *call, size_t row)
{
    const struct tessera_outputs *outputs = &call->outputs;
    struct row_result result;

    memset(&result, 0, sizeof(result));
    if (outputs->token)
        result.token = outputs->token[row];
    if (outputs->logprob)
        result.logprob = bits_of_float(outputs->logprob[row]);
    if (outputs->raw_logprob)
        result.raw_logprob = bits_of_float(outputs->raw_logprob[row]);
    if (outputs->rank)
        result.rank = outputs->rank[row];
    if (outputs->n_kept)
        result.n_kept = outputs->n_kept[row];
    if (outputs->status)
        result.status = outputs->status[row];
    if (outputs->weight_sum)
        result.weight_sum = outputs->weight_sum[row];
    for (size_t i = 0; i < (size_t)outputs->top_n; i++) {
        size_t at = row * (size_t)outputs->top_n + i;

        if (outputs->top_tokens)
            result.top_tokens[i] = outputs->top_tokens[at];
        if (outputs->top_logprobs)
            result.top_logprobs[i] = bits_of_float(outputs->top_logprobs[at]);
    }
    return result;
}

void call_free(struct call *call)
{
    free_arrays(call);
    close_sampler(call);
    memset(call, 0, sizeof(*call));
}

/* Runs that need the same sampler share it: making one for a CUDA device loads
 * every kernel, and takes longer than most calls. */
void run_rows(const struct backend *backend, const struct test_row *rows,
              size_t count, const struct layout *layout,
              struct row_result *results)
{
    static struct call call;
    struct tessera_config config = tight_config(backend, rows, count);

    if (memcmp(&config, &call.config, sizeof(config)) != 0) {
        close_sampler(&call);
        call = (struct call){.config = config};
        open_sampler(&call, backend, count);
    }
    call.array_count = 0;
    build_batch(&call, rows, count, layout);
    poison_workspace(&call);
    enum tessera_status status = call_run(&call);
    cr_assert(status == TESSERA_OK, "%s: tessera_sample: %s", backend->name,
              tessera_last_error());
    for (size_t row = 0; row < count; row++)
        results[row] = call_result(&call, row);
    free_arrays(&call);
}
