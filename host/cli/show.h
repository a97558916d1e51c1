/*
 * show.h - the two forms in which tessera show prints a trace
 */

#ifndef TESSERA_CLI_SHOW_H
#define TESSERA_CLI_SHOW_H

#include "engine.h"
#include "token_texts.h"
#include "trace.h"

struct show_view {
    const struct trace *trace;
    const struct token_texts *texts;
    const char *path; /* of the logits */
    int32_t row;
    const struct answers *answers; /* of tessera_sample() to the row */
    bool raw;                      /* what is of the raw row was asked for */
    size_t listed;                 /* tokens in a list */
    uint64_t draws;                /* at least 1 */
};

/* Tables and bars, 80 columns. */
void show_text(const struct show_view *view);

/* One object.  CLI_OK, or the status of the line reported. */
int show_json(const struct show_view *view);

/* Parts of show_text(): how the answer spreads, what each stage did, and what
 * is left to draw from. */
void show_spreads(const struct show_view *view);
void show_stages(const struct show_view *view);
void show_distribution(const struct show_view *view);
void show_draw(const struct show_view *view);

/* Prints a token's id and, where texts are known, its text, in as many columns
 * for every token. */
void show_token(const struct show_view *view, int32_t token);
int show_token_columns(const struct show_view *view);

/* Prints a share of 1 in 7 columns. */
void show_share(double share);

#endif
