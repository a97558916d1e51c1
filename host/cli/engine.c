/*
 * engine.c - a sampler for a request, with the memory that its answers need
 */

#include "engine.h"

#include "mirror.h"

int answers_create(struct answers *answers, int32_t rows, int32_t top_n)
{
    size_t count = (size_t)rows;
    size_t listed = count * (size_t)top_n;

    *answers = (struct answers){
        .token = calloc(count, sizeof(int32_t)),
        .logprob = calloc(count, sizeof(float)),
        .raw_logprob = calloc(count, sizeof(float)),
        .rank = calloc(count, sizeof(int32_t)),
        .n_kept = calloc(count, sizeof(int32_t)),
        .weight_sum = calloc(count, sizeof(uint64_t)),
        .status = calloc(count, sizeof(uint8_t)),
        .top_n = top_n,
    };
    if (!answers->token || !answers->logprob || !answers->raw_logprob ||
        !answers->rank || !answers->n_kept || !answers->weight_sum ||
        !answers->status)
        return report_memory();
    if (top_n == 0)
        return CLI_OK;
    answers->top_tokens = calloc(listed, sizeof(int32_t));
    answers->top_logprobs = calloc(listed, sizeof(float));
    answers->raw_top_tokens = calloc(listed, sizeof(int32_t));
    answers->raw_top_logprobs = calloc(listed, sizeof(float));
    if (!answers->top_tokens || !answers->top_logprobs ||
        !answers->raw_top_tokens || !answers->raw_top_logprobs)
        return report_memory();
    return CLI_OK;
}

void answers_free(struct answers *answers)
{
    free(answers->token);
    free(answers->logprob);
    free(answers->raw_logprob);
    free(answers->rank);
    free(answers->n_kept);
    free(answers->weight_sum);
    free(answers->status);
    free(answers->top_tokens);
    free(answers->top_logprobs);
    free(answers->raw_top_tokens);
    free(answers->raw_top_logprobs);
}

/* The sizes that the sampler must be made for. */
static void measure(const struct request *request,
                    struct tessera_config *config)
{
    size_t history = 0;
    size_t edits = 0;

    for (size_t i = 0; i < request->logits.rows; i++) {
        const struct row_request *row = &request->row[i];
        size_t row_edits = row->biases.count + row->bans.count;

        if (row->history.count > history)
            history = row->history.count;
        if (row_edits > edits)
            edits = row_edits;
    }
    config->vocab = (int32_t)request->logits.columns;
    config->max_history = history < INT32_MAX ? (int32_t)history : INT32_MAX;
    config->max_edits = edits < INT32_MAX ? (int32_t)edits : INT32_MAX;
}

int engine_open(struct engine *engine, const struct backend_choice *backend,
                const struct request *request, int32_t capacity, int32_t top_n)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    enum tessera_status status;
    int exit_status;

    *engine = (struct engine){.launches = LAUNCHES_INIT};
    launches_watch(&engine->launches, &config);
    config.device = backend->device;
    config.device_ordinal = backend->ordinal;
    config.plans = backend->plans;
    config.threads = backend->threads;
    config.max_rows = capacity;
    config.max_top_logprobs = top_n;
    measure(request, &config);
    engine->config = config;
    status = tessera_create(&config, &engine->sampler);
    if (status == TESSERA_OK)
        status = tessera_workspace_create(engine->sampler, capacity,
                                          &engine->workspace,
                                          &engine->workspace_bytes);
    if (status != TESSERA_OK) {
        exit_status = report_library(status);
    } else {
        exit_status = picked_batch_create(&engine->picked, capacity);
        if (exit_status == CLI_OK)
            exit_status = answers_create(&engine->answers, capacity, top_n);
    }
    if (exit_status != CLI_OK)
        engine_close(engine);
    return exit_status;
}

int engine_sample(struct engine *engine, const struct request *request,
                  const struct pick *picks, int32_t count, enum raw_answers raw)
{
    struct answers *answers = &engine->answers;
    struct tessera_outputs outputs = TESSERA_OUTPUTS_INIT;
    int exit_status = request_pick(request, picks, count, &engine->picked);

    if (exit_status != CLI_OK)
        return exit_status;
    outputs.token = answers->token;
    outputs.logprob = answers->logprob;
    outputs.n_kept = answers->n_kept;
    outputs.weight_sum = answers->weight_sum;
    outputs.status = answers->status;
    outputs.top_tokens = answers->top_tokens;
    outputs.top_logprobs = answers->top_logprobs;
    outputs.top_n = answers->top_n;

    enum tessera_status status =
        mirror_sample(engine->sampler, &engine->config, engine->workspace,
                      engine->workspace_bytes, &engine->picked.batch, &outputs);
    if (status == TESSERA_OK && raw == RAW_ANSWERS) {
        /* A call lists one kind of top tokens. */
        outputs = (struct tessera_outputs)TESSERA_OUTPUTS_INIT;
        outputs.raw_logprob = answers->raw_logprob;
        outputs.rank = answers->rank;
        outputs.top_tokens = answers->raw_top_tokens;
        outputs.top_logprobs = answers->raw_top_logprobs;
        outputs.top_n = answers->top_n;
        outputs.top_raw = 1;
        status = mirror_sample(engine->sampler, &engine->config,
                               engine->workspace, engine->workspace_bytes,
                               &engine->picked.batch, &outputs);
    }
    return status == TESSERA_OK ? CLI_OK : report_library(status);
}

void engine_close(struct engine *engine)
{
    tessera_workspace_free(engine->sampler, engine->workspace);
    tessera_free(engine->sampler);
    picked_batch_free(&engine->picked);
    answers_free(&engine->answers);
    launches_free(&engine->launches);
    *engine = (struct engine){.sampler = NULL};
}

const char *row_status_name(uint8_t status)
{
    switch (status) {
    case TESSERA_ROW_OK:
        return "ok";
    case TESSERA_ROW_EMPTY:
        return "empty";
    case TESSERA_ROW_NAN:
        return "nan";
    case TESSERA_ROW_EMPTY | TESSERA_ROW_NAN:
        return "empty+nan";
    case TESSERA_ROW_MAXIMUM:
        return "maximum";
    case TESSERA_ROW_NAN | TESSERA_ROW_MAXIMUM:
        return "nan+maximum";
    case TESSERA_ROW_INVALID:
        return "invalid";
    default:
        return "unknown";
    }
}
