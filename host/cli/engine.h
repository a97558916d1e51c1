/*
 * engine.h - a sampler for a request, with the memory that its answers need
 */

#ifndef TESSERA_CLI_ENGINE_H
#define TESSERA_CLI_ENGINE_H

#include "launches.h"
#include "request.h"

/* An entry a row of the batch last sampled. */
struct answers {
    int32_t *token;
    float *logprob;
    float *raw_logprob;
    int32_t *rank;
    int32_t *n_kept;
    uint64_t *weight_sum;
    uint8_t *status;

    /* [rows x top_n] each; NULL where top_n is 0. */
    int32_t *top_tokens;
    float *top_logprobs;
    int32_t *raw_top_tokens;
    float *raw_top_logprobs;
    int32_t top_n;
};

/* Makes room for 'rows' answers with lists of top_n tokens.  CLI_OK, or the
 * status of the line reported; answers_free() in both cases. */
int answers_create(struct answers *answers, int32_t rows, int32_t top_n);
void answers_free(struct answers *answers);

/* Whether to fill what is of the raw row; it costs a second distribution. */
enum raw_answers { RAW_ANSWERS_NONE, RAW_ANSWERS };

/* Stays where it is while it is open: its sampler tells it of launches. */
struct engine {
    struct tessera_config config;
    struct tessera_sampler *sampler;
    void *workspace;
    size_t workspace_bytes;
    struct picked_batch picked;
    struct answers answers;
    struct launches launches;
};

/* Makes an engine for batches of up to 'capacity' rows of the request and
 * lists of top_n tokens.  CLI_OK, or the status of the line reported. */
int engine_open(struct engine *engine, const struct backend_choice *backend,
                const struct request *request, int32_t capacity, int32_t top_n);

/* Samples these rows; engine->answers is then theirs.  CLI_OK, or the status
 * of the line reported. */
int engine_sample(struct engine *engine, const struct request *request,
                  const struct pick *picks, int32_t count,
                  enum raw_answers raw);

/* An engine of all zeros holds nothing. */
void engine_close(struct engine *engine);

/* A row's status in words: "ok", or what is wrong, joined by +. */
const char *row_status_name(uint8_t status);

#endif
