/*
 * show_text.c - a trace as tables: its head, and the row at temperatures
 */

#include "show.h"

#include "engine.h"

#include <inttypes.h>
#include <stdio.h>

/* Of a token's text, and of its id. */
#define TEXT_COLUMNS 16
#define ID_COLUMNS 7

void show_token(const struct show_view *view, int32_t token)
{
    printf("%*d", ID_COLUMNS, (int)token);
    if (view->texts->count == 0)
        return;
    fputs("  ", stdout);
    token_text_print(view->texts, token, TEXT_COLUMNS, stdout);
}

int show_token_columns(const struct show_view *view)
{
    return view->texts->count == 0 ? ID_COLUMNS : ID_COLUMNS + 2 + TEXT_COLUMNS;
}

void show_share(double share)
{
    if (share > 0 && share < 0.00005)
        printf("%7s", "<.0001");
    else
        printf("%7.4f", share);
}

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

void show_spreads(const struct show_view *view)
{
    const struct trace *trace = view->trace;
    size_t listed = at_most(view->listed, trace->row.in);

    printf("\nWhat temperature does: the best tokens after the edits, before "
           "any filter\n\n");
    if (view->texts->count == 0)
        printf("%*s", ID_COLUMNS, "token");
    else
        printf("%*s  %-*s", ID_COLUMNS, "token", TEXT_COLUMNS, "text");
    printf(" %9s ", "logit");
    for (size_t s = 0; s < trace->spread_count; s++) {
        const struct trace_spread *spread = &trace->spreads[s];
        char title[32];

        snprintf(title, sizeof(title), "%sT=%.3g", spread->own ? "*" : "",
                 (double)spread->temperature);
        printf(" %7s", title);
    }
    putchar('\n');
    for (size_t i = 0; i < listed; i++) {
        show_token(view, trace->row.ranked[i].token);
        printf(" %9.4g ", (double)trace->row.ranked[i].x);
        for (size_t s = 0; s < trace->spread_count; s++) {
            putchar(' ');
            show_share(trace_share(trace->spreads[s].weight[i],
                                   trace->spreads[s].sum));
        }
        putchar('\n');
    }
    printf("%*s ", show_token_columns(view) + 10, "entropy, bits");
    for (size_t s = 0; s < trace->spread_count; s++)
        printf(" %7.3f", trace->spreads[s].entropy_bits);
    printf("\n%*s\n", show_token_columns(view) + 10, "* the row's own");
}

void show_text(const struct show_view *view)
{
    const struct trace *trace = view->trace;

    printf("row %d of %s\n%d tokens, seed %" PRIu64 ", stream %" PRIu64
           ", step %" PRIu64 "\n",
           (int)view->row, view->path, (int)trace->row.vocab,
           trace->asked->params.seed, trace->asked->params.stream,
           trace->asked->params.step);
    if (view->answers->status[0] != TESSERA_ROW_OK)
        printf("status: %s\n", row_status_name(view->answers->status[0]));
    if (trace->token >= 0)
        show_spreads(view);
    show_stages(view);
    if (trace->token < 0) {
        printf("\nNo token is left: the row is empty, and its token is -1.\n");
        return;
    }
    show_distribution(view);
    show_draw(view);
}
