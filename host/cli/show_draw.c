/*
 * show_draw.c - what is left to draw from, and how the random number chose
 */

#include "show.h"

#include "locale_text.h"

#include <inttypes.h>
#include <stdio.h>

/* Columns of a bar for a probability of 1, and of the strip for the sum. */
#define BAR_COLUMNS 40
#define STRIP_COLUMNS 64

/* A bar in eighths of a column, or in whole ones. */
static void show_bar(double share)
{
    static const char *const eighths[] = {"",       "\u258f", "\u258e",
                                          "\u258d", "\u258c", "\u258b",
                                          "\u258a", "\u2589"};
    bool utf8 = locale_is_utf8();
    int parts = (int)(share * BAR_COLUMNS * 8 + 0.5);

    if (parts > 0)
        fputs("  ", stdout);
    for (int i = 0; i < (utf8 ? parts / 8 : (parts + 4) / 8); i++)
        fputs(utf8 ? "\u2588" : "#", stdout);
    if (utf8)
        fputs(eighths[parts % 8], stdout);
}

static void show_kept(const struct show_view *view, size_t i)
{
    const struct tessera_ranked *ranked = &view->trace->row.ranked[i];
    double share = trace_share(ranked->weight, view->trace->sum);

    putchar(ranked->token == view->trace->token ? '>' : ' ');
    show_token(view, ranked->token);
    putchar(' ');
    show_share(share);
    show_bar(share);
    putchar('\n');
}

void show_distribution(const struct show_view *view)
{
    const struct trace *trace = view->trace;
    size_t kept = trace->row.kept;
    size_t listed = view->listed < kept ? view->listed : kept;
    bool token_listed = false;

    printf("\nWhat is left to draw from: %zu token%s (> is the one drawn)\n\n",
           kept, kept == 1 ? "" : "s");
    for (size_t i = 0; i < listed; i++) {
        show_kept(view, i);
        if (trace->row.ranked[i].token == trace->token)
            token_listed = true;
    }
    if (listed == kept)
        return;

    size_t place = listed;
    while (!token_listed && trace->row.ranked[place].token != trace->token)
        place++;
    if (token_listed || place > listed)
        printf("     ...\n");
    if (!token_listed) {
        show_kept(view, place);
        if (place + 1 < kept)
            printf("     ...\n");
    }
}

/* The column that holds a place in the sum. */
static int column_of(uint64_t place, uint64_t sum)
{
    return (int)((tessera_uint128)place * STRIP_COLUMNS / sum);
}

/* The weights side by side in the order of ids, the drawn token's filled. */
static void show_strip(const struct trace *trace)
{
    bool utf8 = locale_is_utf8();
    int target = column_of(trace->target, trace->sum);
    int first = column_of(trace->below, trace->sum);
    int last = column_of(trace->below + trace->weight - 1, trace->sum);

    printf("  0 ");
    for (int i = 0; i < STRIP_COLUMNS; i++) {
        if (i >= first && i <= last)
            fputs(utf8 ? "\u2588" : "#", stdout);
        else
            fputs(utf8 ? "\u2591" : ".", stdout);
    }
    printf(" S\n%*s^ target\n", 4 + target, "");
}

static void show_steps(const struct show_view *view)
{
    printf("\nThe same row at its steps\n\n%20s  %7s%s\n", "step", "token",
           view->texts->count > 0 ? "  text" : "");
    for (uint64_t i = 0; i < view->draws && !ferror(stdout); i++) {
        int32_t token = trace_draw(view->trace, i);

        printf("%20" PRIu64 "  %7d", view->trace->asked->params.step + i,
               (int)token);
        if (token_text(view->texts, token)) {
            fputs("  ", stdout);
            token_text_print(view->texts, token, 0, stdout);
        }
        putchar('\n');
    }
}

void show_draw(const struct show_view *view)
{
    const struct trace *trace = view->trace;

    if (trace->greedy) {
        printf("\nNothing is drawn: the row is greedy\n\n");
    } else {
        printf("\nHow it was drawn: in the order of ids, the first token whose "
               "sum of weights,\nits own included, exceeds the target\n\n");
        printf("  S      %20" PRIu64 "  sum of the weights kept (2^40 is the "
               "best one's)\n",
               trace->sum);
        printf("  R        0x%016" PRIx64 "  64 random bits of seed, stream "
               "and step\n",
               trace->random);
        printf("  target %20" PRIu64 "  R * S / 2^64, rounded down\n",
               trace->target);
        printf("  below  %20" PRIu64 "  sum of the ids before the token\n",
               trace->below);
        printf("  up to  %20" PRIu64 "  and with it\n\n",
               trace->below + trace->weight);
        show_strip(trace);
        putchar('\n');
    }
    printf("  token  ");
    show_token(view, trace->token);
    printf("  log-probability %.9g\n", (double)trace->logprob);
    if (view->raw)
        printf("%*s  raw             %.9g, rank %d\n",
               show_token_columns(view) + 9, "",
               (double)view->answers->raw_logprob[0],
               (int)view->answers->rank[0]);
    if (view->draws > 1)
        show_steps(view);
}
