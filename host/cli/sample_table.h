/*
 * sample_table.h - the answers of tessera sample, a line a row
 */

#ifndef TESSERA_CLI_SAMPLE_TABLE_H
#define TESSERA_CLI_SAMPLE_TABLE_H

#include "engine.h"
#include "token_texts.h"

struct sample_view {
    const struct engine *engine;
    const struct token_texts *texts;
    enum raw_answers raw;
    int64_t draws;

    /* Columns, set by sample_table_start(); 0: this one is not shown. */
    int row_width;
    int seed_width;
    int stream_width;
    int step_width;
};

/* The list of top tokens of row i of the engine's last batch. */
struct top_tokens {
    const int32_t *tokens;
    const float *logprobs;
    int32_t count;
};

struct top_tokens sample_top(const struct sample_view *view, int32_t i);

/* Prints the line that lets the run be repeated, and the names of columns. */
void sample_table_start(struct sample_view *view, const struct request *request,
                        const char *backend);

/* Prints row i of the engine's last batch, and its list of top tokens. */
void sample_table_row(const struct sample_view *view, int32_t i);

#endif
