/*
 * sample_table.c - the answers of tessera sample, a line a row
 *
 * Seed, stream and step are said once where all rows have the same, and are
 * columns where not.
 */

#include "sample_table.h"

#include <inttypes.h>
#include <stdio.h>

/* 9 digits tell any two binary32 apart: -1.23456789e-05 is the widest. */
#define LOGPROB_FORMAT "%15.9g"
#define LOGPROB_WIDTH 15

struct top_tokens sample_top(const struct sample_view *view, int32_t i)
{
    const struct answers *answers = &view->engine->answers;
    size_t first = (size_t)i * (size_t)answers->top_n;
    struct top_tokens top = {NULL, NULL, 0};

    if (answers->top_n == 0)
        return top;
    if (view->raw == RAW_ANSWERS) {
        top.tokens = answers->raw_top_tokens + first;
        top.logprobs = answers->raw_top_logprobs + first;
    } else {
        top.tokens = answers->top_tokens + first;
        top.logprobs = answers->top_logprobs + first;
    }
    while (top.count < answers->top_n && top.tokens[top.count] >= 0)
        top.count++;
    return top;
}

static int digits(uint64_t value)
{
    int count = 1;

    for (; value >= 10; value /= 10)
        count++;
    return count;
}

static int wider(int a, int b)
{
    return a > b ? a : b;
}

/* Least and most of a word over the rows. */
struct extent {
    uint64_t least;
    uint64_t most;
};

static struct extent extent_of(const struct request *request, size_t offset)
{
    struct extent extent = {UINT64_MAX, 0};

    for (size_t row = 0; row < request->logits.rows; row++) {
        const char *params = (const char *)&request->row[row].params;
        uint64_t value = *(const uint64_t *)(const void *)(params + offset);

        if (value < extent.least)
            extent.least = value;
        if (value > extent.most)
            extent.most = value;
    }
    return extent;
}

/* Says what all rows share; returns the width of a column if they differ. */
static int start_word(const char *name, const struct request *request,
                      size_t offset)
{
    struct extent extent = extent_of(request, offset);

    if (extent.least == extent.most) {
        printf("%s %" PRIu64 ", ", name, extent.least);
        return 0;
    }
    printf("%s by row, ", name);
    return wider(digits(extent.most), (int)sizeof("stream") - 1);
}

void sample_table_start(struct sample_view *view, const struct request *request,
                        const char *backend)
{
    uint64_t last_on = (uint64_t)view->draws - 1;
    struct extent steps =
        extent_of(request, offsetof(struct tessera_params, step));

    view->row_width = wider(digits(request->logits.rows - 1), 3);
    view->seed_width =
        start_word("seed", request, offsetof(struct tessera_params, seed));
    view->stream_width =
        start_word("stream", request, offsetof(struct tessera_params, stream));
    if (last_on > 0)
        view->step_width = wider(digits(steps.most + last_on), 4);
    if (last_on > 0 && steps.least == steps.most)
        printf("steps %" PRIu64 " .. %" PRIu64 ", ", steps.least,
               steps.most + last_on);
    else
        view->step_width = wider(
            view->step_width,
            start_word("step", request, offsetof(struct tessera_params, step)));
    printf("contract %d, backend %s\n\n", (int)tessera_contract_version(),
           backend);

    printf("%*s", view->row_width, "row");
    if (view->seed_width > 0)
        printf("  %*s", view->seed_width, "seed");
    if (view->stream_width > 0)
        printf("  %*s", view->stream_width, "stream");
    if (view->step_width > 0)
        printf("  %*s", view->step_width, "step");
    printf("  %7s  %*s  %7s  status", "token", LOGPROB_WIDTH, "logprob",
           "n_kept");
    if (view->raw == RAW_ANSWERS)
        printf("     %*s  %7s", LOGPROB_WIDTH, "raw_logprob", "rank");
    if (view->texts->count > 0)
        printf(view->raw == RAW_ANSWERS ? "  text" : "     text");
    putchar('\n');
}

static void print_top(const struct sample_view *view, int32_t i)
{
    struct top_tokens top = sample_top(view, i);
    int before = view->row_width;
    int widths[] = {view->seed_width, view->stream_width, view->step_width};

    for (size_t n = 0; n < sizeof(widths) / sizeof(widths[0]); n++)
        if (widths[n] > 0)
            before += 2 + widths[n];
    for (int32_t n = 0; n < top.count; n++) {
        printf("%*s%-2d  %7d  " LOGPROB_FORMAT, before - 2, "#", (int)n + 1,
               (int)top.tokens[n], (double)top.logprobs[n]);
        if (token_text(view->texts, top.tokens[n])) {
            printf("  ");
            token_text_print(view->texts, top.tokens[n], 0, stdout);
        }
        putchar('\n');
    }
}

void sample_table_row(const struct sample_view *view, int32_t i)
{
    const struct answers *answers = &view->engine->answers;
    const struct tessera_params *params = &view->engine->picked.params[i];
    bool has_text = token_text(view->texts, answers->token[i]) != NULL;
    bool last = !has_text && view->raw == RAW_ANSWERS_NONE;

    printf("%*d", view->row_width, (int)view->engine->picked.rows[i]);
    if (view->seed_width > 0)
        printf("  %*" PRIu64, view->seed_width, params->seed);
    if (view->stream_width > 0)
        printf("  %*" PRIu64, view->stream_width, params->stream);
    if (view->step_width > 0)
        printf("  %*" PRIu64, view->step_width, params->step);
    printf("  %7d  " LOGPROB_FORMAT "  %7d  %-*s", (int)answers->token[i],
           (double)answers->logprob[i], (int)answers->n_kept[i], last ? 0 : 9,
           row_status_name(answers->status[i]));
    if (view->raw == RAW_ANSWERS)
        printf("  " LOGPROB_FORMAT "  %7d", (double)answers->raw_logprob[i],
               (int)answers->rank[i]);
    if (has_text) {
        printf("  ");
        token_text_print(view->texts, answers->token[i], 0, stdout);
    }
    putchar('\n');
    print_top(view, i);
}
