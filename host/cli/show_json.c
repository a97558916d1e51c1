/*
 * show_json.c - a trace as one JSON object
 */

#include "show.h"

#include "cli.h"
#include "engine.h"
#include "json_output.h"

#include <inttypes.h>

static json_t *edit_of(const struct trace_edit *edit, const char *name,
                       const struct token_texts *texts)
{
    json_t *object = json_object();
    json_t *list = json_array();
    bool good = list != NULL;

    for (size_t i = 0; i < edit->listed && good; i++) {
        const struct trace_change *change = &edit->best[i];
        json_t *entry = json_object();

        good =
            json_put_token(entry, change->token, texts) &&
            json_put(entry, "before", json_of_real((double)change->before)) &&
            json_put(entry, "after", json_of_real((double)change->after));
        good = json_array_append_new(list, json_whole(entry, good)) == 0;
    }
    good =
        json_put(object, "changes", json_whole(list, good)) &&
        json_put(object, "stage", json_string(name)) &&
        json_put(object, "tokens", json_integer((json_int_t)edit->in)) &&
        json_put(object, "removed", json_integer((json_int_t)edit->removed)) &&
        json_put(object, "changed", json_integer((json_int_t)edit->changed));
    return json_whole(object, good);
}

static json_t *ranked_of(const struct show_view *view,
                         const struct tessera_ranked *ranked, uint64_t sum)
{
    json_t *object = json_object();
    bool good = json_put_token(object, ranked->token, view->texts) &&
                json_put(object, "logit", json_of_real((double)ranked->x)) &&
                json_put(object, "weight", json_of_word(ranked->weight)) &&
                json_put(object, "probability",
                         json_of_real(trace_share(ranked->weight, sum)));

    return json_whole(object, good);
}

static json_t *filter_of(const struct show_view *view,
                         const struct trace_filter *filter, const char *name)
{
    json_t *object = json_object();
    bool cut = filter->after < filter->before;
    bool good =
        json_put(object, "stage", json_string(name)) &&
        json_put(object, "tokens", json_integer((json_int_t)filter->after)) &&
        json_put(object, "removed",
                 json_integer((json_int_t)(filter->before - filter->after))) &&
        json_put(object, "weight_sum", json_of_word(filter->sum_after)) &&
        json_put(object, "last_kept",
                 ranked_of(view, &filter->last, filter->sum_before)) &&
        json_put(object, "first_removed",
                 cut ? ranked_of(view, &filter->removed, filter->sum_before)
                     : json_null());

    return json_whole(object, good);
}

static json_t *stages_of(const struct show_view *view)
{
    const struct trace *trace = view->trace;
    const struct token_texts *texts = view->texts;
    json_t *list = json_array();
    bool good =
        json_array_append_new(list, edit_of(&trace->mask, "mask", texts)) ==
            0 &&
        json_array_append_new(list, edit_of(&trace->bans, "bans", texts)) ==
            0 &&
        json_array_append_new(list, edit_of(&trace->bias, "bias", texts)) ==
            0 &&
        json_array_append_new(
            list, edit_of(&trace->penalties, "penalties", texts)) == 0;

    if (trace->token >= 0 && !trace->greedy)
        good = good &&
               json_array_append_new(
                   list, filter_of(view, &trace->top_k, "top_k")) == 0 &&
               json_array_append_new(
                   list, filter_of(view, &trace->top_p, "top_p")) == 0 &&
               json_array_append_new(
                   list, filter_of(view, &trace->min_p, "min_p")) == 0;
    return json_whole(list, good);
}

static json_t *spread_of(const struct show_view *view,
                         const struct trace_spread *spread)
{
    const struct tessera_row *row = &view->trace->row;
    json_t *object = json_object();
    json_t *list = json_array();
    bool good = list != NULL;

    for (size_t i = 0; i < view->listed && i < row->in && good; i++) {
        struct tessera_ranked ranked = row->ranked[i];

        ranked.weight = spread->weight[i];
        good = json_array_append_new(
                   list, ranked_of(view, &ranked, spread->sum)) == 0;
    }
    good = json_put(object, "top", json_whole(list, good)) &&
           json_put(object, "temperature",
                    json_of_real((double)spread->temperature)) &&
           json_put(object, "own", json_boolean(spread->own)) &&
           json_put(object, "weight_sum", json_of_word(spread->sum)) &&
           json_put(object, "entropy_bits", json_of_real(spread->entropy_bits));
    return json_whole(object, good);
}

static json_t *spreads_of(const struct show_view *view)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (size_t i = 0; i < view->trace->spread_count && good; i++)
        good = json_array_append_new(
                   list, spread_of(view, &view->trace->spreads[i])) == 0;
    return json_whole(list, good);
}

static json_t *distribution_of(const struct show_view *view)
{
    const struct trace *trace = view->trace;
    json_t *list = json_array();
    size_t kept = trace->token >= 0 ? trace->row.kept : 0;
    bool good = list != NULL;

    for (size_t i = 0; i < view->listed && i < kept && good; i++)
        good =
            json_array_append_new(
                list, ranked_of(view, &trace->row.ranked[i], trace->sum)) == 0;
    return json_whole(list, good);
}

static json_t *draws_of(const struct show_view *view)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (uint64_t i = 0; i < view->draws && good; i++)
        good = json_array_append_new(
                   list, json_integer(trace_draw(view->trace, i))) == 0;
    return json_whole(list, good);
}

/* How the token was found in the sum; null where nothing was drawn. */
static json_t *draw_of(const struct trace *trace)
{
    if (trace->token < 0 || trace->greedy)
        return json_null();

    json_t *object = json_object();
    bool good = json_put(object, "random",
                         json_sprintf("0x%016" PRIx64, trace->random)) &&
                json_put(object, "target", json_of_word(trace->target)) &&
                json_put(object, "below", json_of_word(trace->below)) &&
                json_put(object, "weight", json_of_word(trace->weight));
    return json_whole(object, good);
}

int show_json(const struct show_view *view)
{
    const struct trace *trace = view->trace;
    const struct tessera_params *params = &trace->asked->params;
    json_t *object = json_object();
    json_int_t kept = trace->token < 0 ? 0 : (json_int_t)trace->row.kept;
    bool good =
        json_put(object, "row", json_integer(view->row)) &&
        json_put(object, "vocab", json_integer(trace->row.vocab)) &&
        json_put(object, "seed", json_of_word(params->seed)) &&
        json_put(object, "stream", json_of_word(params->stream)) &&
        json_put(object, "step", json_of_word(params->step)) &&
        json_put_token(object, trace->token, view->texts) &&
        json_put(object, "logprob", json_of_real((double)trace->logprob)) &&
        json_put(object, "n_kept", json_integer(kept)) &&
        json_put(object, "weight_sum", json_of_word(trace->sum)) &&
        json_put(object, "status",
                 json_string(row_status_name(view->answers->status[0]))) &&
        json_put(object, "minus_infinities",
                 json_integer((json_int_t)trace->minus_infinities)) &&
        json_put(object, "nans", json_integer((json_int_t)trace->nans)) &&
        json_put(object, "temperatures", spreads_of(view)) &&
        json_put(object, "stages", stages_of(view)) &&
        json_put(object, "distribution", distribution_of(view)) &&
        json_put(object, "draw", draw_of(trace)) &&
        json_put(object, "tokens", draws_of(view));

    if (good && view->raw)
        good = json_put(object, "raw_logprob",
                        json_of_real((double)view->answers->raw_logprob[0])) &&
               json_put(object, "rank", json_integer(view->answers->rank[0]));
    return json_print(json_whole(object, good));
}
