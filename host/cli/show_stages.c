/*
 * show_stages.c - what each stage did, a line a stage
 */

#include "show.h"

#include <stdio.h>

/* The start of a stage's line: its name, and the tokens it left. */
static void stage(const char *name, size_t tokens)
{
    printf("%-12s %8zu  ", name, tokens);
}

/* The start of a line about one token. */
static void detail(const char *what)
{
    printf("%-12s %8s  %-14s", "", "", what);
}

static void show_changes(const struct show_view *view,
                         const struct trace_edit *edit)
{
    for (size_t i = 0; i < edit->listed; i++) {
        const struct trace_change *change = &edit->best[i];

        printf("%-12s %8s  ", "", "");
        show_token(view, change->token);
        printf(" %9.4g -> %.4g\n", (double)change->before,
               (double)change->after);
    }
    if (edit->listed < edit->changed + edit->removed)
        printf("%-12s %8s  and %zu more, with lower logits before\n", "", "",
               edit->changed + edit->removed - edit->listed);
}

static void show_edit(const struct show_view *view, const char *name,
                      const struct trace_edit *edit, bool asked)
{
    stage(name, edit->in);
    if (!asked) {
        printf("off\n");
        return;
    }
    printf("%zu removed", edit->removed);
    if (edit->changed > 0)
        printf(", %zu changed", edit->changed);
    putchar('\n');
    show_changes(view, edit);
}

static void show_penalties(const struct show_view *view)
{
    const struct trace *trace = view->trace;
    const struct tessera_params *params = &trace->asked->params;

    stage("penalties", trace->penalties.in);
    if (!tessera_penalties_on(params)) {
        printf("off\n");
        return;
    }
    printf("repetition %.4g, frequency %.4g, presence %.4g\n",
           (double)params->repetition_penalty,
           (double)params->frequency_penalty, (double)params->presence_penalty);
    printf("%-12s %8s  ", "", "");
    if (params->penalty_window >= 0)
        printf("window %d of", (int)params->penalty_window);
    else
        printf("window: all of");
    printf(" %zu history entries, %zu tokens changed\n",
           trace->asked->history.count, trace->penalties.changed);
    show_changes(view, &trace->penalties);
}

static void show_border(const struct show_view *view, const char *what,
                        const struct tessera_ranked *ranked, uint64_t sum)
{
    detail(what);
    show_token(view, ranked->token);
    printf(" %9.4g ", (double)ranked->x);
    show_share(trace_share(ranked->weight, sum));
    putchar('\n');
}

/* 'setting' is NULL where the filter is off. */
static void show_filter(const struct show_view *view, const char *name,
                        const char *setting, const struct trace_filter *filter)
{
    size_t removed = filter->before - filter->after;

    stage(name, filter->after);
    if (!setting && removed == 0) {
        printf("off\n");
        return;
    }
    printf("%s; %zu removed", setting ? setting : "off, but weight 0 goes",
           removed);
    if (removed == 0) {
        putchar('\n');
        return;
    }
    printf(" (%.4g%%)\n",
           100 * (1 - trace_share(filter->sum_after, filter->sum_before)));
    show_border(view, "last kept", &filter->last, filter->sum_before);
    show_border(view, "first removed", &filter->removed, filter->sum_before);
}

static void show_filters(const struct show_view *view)
{
    const struct trace *trace = view->trace;
    const struct tessera_params *params = &trace->asked->params;
    char setting[64];

    stage("temperature", trace->row.in);
    if (trace->greedy) {
        printf("%.4g is below 1e-5: greedy, the best token at once\n",
               (double)params->temperature);
        return;
    }
    printf("%.4g: weights are 2^40 exp((logit - best) / %.4g)\n",
           (double)params->temperature, (double)params->temperature);
    snprintf(setting, sizeof(setting), "the %d best", (int)params->top_k);
    show_filter(view, "top_k", params->top_k > 0 ? setting : NULL,
                &trace->top_k);
    snprintf(setting, sizeof(setting), "the fewest that hold %.4g",
             (double)params->top_p);
    show_filter(view, "top_p", params->top_p < 1.0f ? setting : NULL,
                &trace->top_p);
    snprintf(setting, sizeof(setting), "weight at least %.4g of the best",
             (double)params->min_p);
    show_filter(view, "min_p", params->min_p > 0.0f ? setting : NULL,
                &trace->min_p);
}

void show_stages(const struct show_view *view)
{
    const struct trace *trace = view->trace;

    printf("\nWhat each stage did (%%: of the probability it was given)\n\n"
           "%-12s %8s\n",
           "stage", "tokens");
    stage("logits",
          (size_t)trace->row.vocab - trace->minus_infinities - trace->nans);
    printf("%zu are -inf, %zu NaN\n", trace->minus_infinities, trace->nans);
    show_edit(view, "mask", &trace->mask, trace->has_mask);
    show_edit(view, "bans", &trace->bans, trace->asked->bans.count > 0);
    show_edit(view, "bias", &trace->bias, trace->asked->biases.count > 0);
    show_penalties(view);
    if (trace->token >= 0)
        show_filters(view);
}
