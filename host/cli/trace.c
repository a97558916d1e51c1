/*
 * trace.c - one row taken through the stages, with what each did to it
 */

#include "trace.h"

#include <math.h>
#include <string.h>

/* Temperatures that are shown beside the row's own. */
static const float usual_temperatures[] = {0.5f, 0.7f, 1.0f, 1.5f};

#define USUAL_COUNT (sizeof(usual_temperatures) / sizeof(usual_temperatures[0]))

/* The row's memory, and a copy of its logits from before an edit. */
static float *allocate(struct trace *trace, int32_t vocab)
{
    size_t count = (size_t)vocab;
    size_t bytes = 2 * sizeof(struct tessera_ranked) + sizeof(uint64_t) +
                   2 * sizeof(float);
    struct tessera_ranked *ranked = malloc(count * bytes);

    if (!ranked)
        return NULL;
    uint64_t *weight_up_to = (uint64_t *)(void *)(ranked + 2 * count);
    float *x = (float *)(void *)(weight_up_to + count);
    trace->memory = ranked;
    trace->row = (struct tessera_row){
        .vocab = vocab,
        .x = x,
        .weight_up_to = weight_up_to,
        .ranked = ranked,
        .scratch = ranked + count,
    };
    return x + count;
}

static void list_change(struct trace_edit *edit, struct trace_change change)
{
    size_t place = edit->listed;

    while (place > 0 && edit->best[place - 1].before < change.before)
        place--;
    if (place == TRACE_CHANGES)
        return;
    if (edit->listed < TRACE_CHANGES)
        edit->listed++;
    for (size_t i = edit->listed - 1; i > place; i--)
        edit->best[i] = edit->best[i - 1];
    edit->best[place] = change;
}

/* Compares the row with itself before an edit.  A NaN that went was never a
 * token: it is counted with the logits. */
static void compare(struct trace_edit *edit, const struct tessera_row *row,
                    const float *before)
{
    *edit = (struct trace_edit){.in = 0};
    for (int32_t token = 0; token < row->vocab; token++) {
        float x = row->x[token];
        float was = before[token];

        if (x != -INFINITY)
            edit->in++;
        if (was == -INFINITY || isnan(was) || x == was)
            continue;
        if (x == -INFINITY)
            edit->removed++;
        else
            edit->changed++;
        list_change(edit, (struct trace_change){token, was, x});
    }
}

static void keep(float *before, const struct tessera_row *row)
{
    memcpy(before, row->x, (size_t)row->vocab * sizeof(*before));
}

static void edit(const struct request *request, int32_t row_number,
                 struct trace *trace, float *before)
{
    const struct row_request *asked = trace->asked;
    const struct row_lists *lists = &request->lists;
    struct tessera_row *row = &trace->row;
    const uint32_t *mask = request_mask(request, (size_t)row_number);
    const int32_t *bans = row_bans(lists, asked->bans);
    const int32_t *history = row_tokens(lists, asked->history);
    size_t prompt_length = (size_t)asked->prompt_tokens;
    size_t element_bytes = request->type == TESSERA_FLOAT32 ? 4 : 2;
    const void *logits =
        (const char *)request->logits.data +
        (size_t)row_number * request->logits.columns * element_bytes;

    tessera_logits(row, logits, request->type);
    for (int32_t token = 0; token < row->vocab; token++) {
        trace->minus_infinities += row->x[token] == -INFINITY;
        trace->nans += isnan(row->x[token]) != 0;
    }

    /* Mask and bans are one stage.  It runs once with the mask alone, to tell
     * the two apart, and then as it is defined. */
    keep(before, row);
    trace->has_mask = mask != NULL;
    tessera_mask(row, mask, NULL, 0);
    compare(&trace->mask, row, before);
    keep(before, row);
    tessera_logits(row, logits, request->type);
    tessera_mask(row, mask, bans, asked->bans.count);
    compare(&trace->bans, row, before);

    keep(before, row);
    tessera_bias(row, row_biases(lists, asked->biases), asked->biases.count);
    compare(&trace->bias, row, before);

    struct tessera_past past = {
        .prompt = history,
        .prompt_length = prompt_length,
        .generated = history ? history + prompt_length : NULL,
        .generated_length = asked->history.count - prompt_length,
    };
    keep(before, row);
    tessera_penalties(row, &past, &asked->params);
    compare(&trace->penalties, row, before);
}

static void spread(const struct tessera_row *row, float temperature,
                   struct trace_spread *spread)
{
    spread->temperature = temperature;
    spread->greedy = tessera_is_greedy(temperature);
    spread->entropy_bits = 0;
    if (spread->greedy) {
        spread->sum = TESSERA_WEIGHT_ONE;
        memset(spread->weight, 0, sizeof(spread->weight));
        spread->weight[0] = TESSERA_WEIGHT_ONE;
        return;
    }

    struct tessera_scale scale = tessera_temperature(temperature);
    float best = row->ranked[0].x;
    double weighted_logs = 0; /* sum of w log2 w */
    spread->sum = 0;
    for (size_t i = 0; i < row->in; i++) {
        uint64_t weight = tessera_weight(row->ranked[i].x - best, scale);

        if (i < TESSERA_MAX_TOP_LOGPROBS)
            spread->weight[i] = weight;
        spread->sum += weight;
        if (weight > 0)
            weighted_logs += (double)weight * log2((double)weight);
    }

    /* Nothing below 0: a single token gives -1e-16 or so. */
    double entropy =
        log2((double)spread->sum) - weighted_logs / (double)spread->sum;
    spread->entropy_bits = entropy > 0 ? entropy : 0;
}

static void spread_all(struct trace *trace)
{
    float own = trace->asked->params.temperature;
    size_t next = 0;
    size_t count = 0;
    bool own_is_in = false;

    while (next < USUAL_COUNT || !own_is_in) {
        bool take_own = !own_is_in && (next == USUAL_COUNT ||
                                       own <= usual_temperatures[next]);
        float temperature = take_own ? own : usual_temperatures[next];

        if (next < USUAL_COUNT && temperature == usual_temperatures[next])
            next++;
        own_is_in = own_is_in || take_own;
        spread(&trace->row, temperature, &trace->spreads[count]);
        trace->spreads[count++].own = take_own;
    }
    trace->spread_count = count;
}

static void filter_start(struct trace_filter *filter,
                         const struct tessera_row *row)
{
    filter->before = row->kept;
    filter->sum_before = tessera_softmax(row);
}

static void filter_end(struct trace_filter *filter,
                       const struct tessera_row *row)
{
    filter->after = row->kept;
    filter->sum_after = tessera_softmax(row);
    filter->last = row->ranked[row->kept - 1];
    if (row->kept < filter->before)
        filter->removed = row->ranked[row->kept];
}

static void draw(struct trace *trace)
{
    const struct tessera_params *params = &trace->asked->params;
    struct tessera_row *row = &trace->row;

    tessera_weigh(row, tessera_temperature(params->temperature));
    filter_start(&trace->top_k, row);
    tessera_top_k(row, params->top_k);
    filter_end(&trace->top_k, row);
    filter_start(&trace->top_p, row);
    tessera_top_p(row, params->top_p);
    filter_end(&trace->top_p, row);
    filter_start(&trace->min_p, row);
    tessera_min_p(row, params->min_p);
    filter_end(&trace->min_p, row);

    trace->sum = tessera_softmax(row);
    tessera_lay_out(row);
    trace->random = tessera_random(params->seed, params->stream, params->step);
    trace->target = tessera_draw_target(trace->random, trace->sum);
    trace->token = tessera_draw(row, trace->target);
    trace->below = trace->token > 0 ? row->weight_up_to[trace->token - 1] : 0;
    trace->weight = row->weight_up_to[trace->token] - trace->below;
    trace->logprob =
        tessera_logprob(row->x[trace->token], row->ranked[0].x,
                        params->temperature, tessera_log_sum(trace->sum));
}

bool trace_run(const struct request *request, int32_t row, struct trace *trace)
{
    *trace = (struct trace){.asked = &request->row[row], .token = -1};
    trace->logprob = -INFINITY;
    float *before = allocate(trace, (int32_t)request->logits.columns);
    if (!before)
        return false;

    edit(request, row, trace, before);
    tessera_order(&trace->row);
    trace->greedy = tessera_is_greedy(trace->asked->params.temperature);
    if (trace->row.in == 0)
        return true;
    spread_all(trace);
    if (!trace->greedy) {
        draw(trace);
        return true;
    }
    trace->row.kept = 1;
    trace->row.ranked[0].weight = TESSERA_WEIGHT_ONE;
    trace->sum = TESSERA_WEIGHT_ONE;
    trace->weight = TESSERA_WEIGHT_ONE;
    trace->token = trace->row.ranked[0].token;
    trace->logprob = 0.0f;
    return true;
}

void trace_free(struct trace *trace)
{
    free(trace->memory);
    trace->memory = NULL;
}

int32_t trace_draw(const struct trace *trace, uint64_t steps_on)
{
    const struct tessera_params *params = &trace->asked->params;

    if (trace->token < 0 || trace->greedy)
        return trace->token;
    uint64_t random =
        tessera_random(params->seed, params->stream, params->step + steps_on);
    return tessera_draw(&trace->row, tessera_draw_target(random, trace->sum));
}

double trace_share(uint64_t weight, uint64_t sum)
{
    return (double)weight / (double)sum;
}
