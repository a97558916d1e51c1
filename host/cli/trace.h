/*
 * trace.h - one row taken through the stages, with what each did to it
 *
 * The stages are those of host/stages, in the order of the reference, so the
 * answer must be tessera_sample()'s.  Entropies and shares are binary64, for
 * the eye only.
 */

#ifndef TESSERA_CLI_TRACE_H
#define TESSERA_CLI_TRACE_H

#include "request.h"

#include "../stages/stages.h"

/* The best of the tokens that an edit changed are listed. */
#define TRACE_CHANGES 4

struct trace_change {
    int32_t token;
    float before;
    float after;
};

/* What a mask, bans, bias or penalties did. */
struct trace_edit {
    size_t in; /* tokens in afterwards */
    size_t removed;
    size_t changed; /* and still in */
    struct trace_change best[TRACE_CHANGES];
    size_t listed; /* of best, by their logit before */
};

/* What a filter did. */
struct trace_filter {
    size_t before; /* tokens it was given */
    size_t after;
    uint64_t sum_before; /* of their weights */
    uint64_t sum_after;
    struct tessera_ranked last;    /* the last kept */
    struct tessera_ranked removed; /* the first removed, if after < before */
};

/* The row at a temperature, before any filter. */
struct trace_spread {
    float temperature;
    bool own; /* the row's */
    bool greedy;
    uint64_t sum;
    double entropy_bits;

    /* Of the first tokens of the order. */
    uint64_t weight[TESSERA_MAX_TOP_LOGPROBS];
};

#define TRACE_SPREADS 5

struct trace {
    const struct row_request *asked;

    /* After all stages: ranked[0 .. kept) are what can be drawn. */
    struct tessera_row row;

    /* Of the logits as they came. */
    size_t minus_infinities;
    size_t nans;

    bool has_mask;
    struct trace_edit mask;
    struct trace_edit bans;
    struct trace_edit bias;
    struct trace_edit penalties;

    /* The rest only where the row has a token. */
    struct trace_spread spreads[TRACE_SPREADS]; /* temperatures ascending */
    size_t spread_count;
    bool greedy;
    struct trace_filter top_k;
    struct trace_filter top_p;
    struct trace_filter min_p;

    uint64_t sum;    /* S */
    uint64_t random; /* R */
    uint64_t target;
    uint64_t below; /* sum of the kept weights of lower ids than the token */
    uint64_t weight;
    int32_t token; /* -1: the row is empty */
    float logprob;

    void *memory;
};

/* Runs the stages on a row.  False: no memory.  trace_free() afterwards. */
bool trace_run(const struct request *request, int32_t row, struct trace *trace);
void trace_free(struct trace *trace);

/* The token of the row 'steps_on' steps later. */
int32_t trace_draw(const struct trace *trace, uint64_t steps_on);

/* The weight of a kept token over the sum. */
double trace_share(uint64_t weight, uint64_t sum);

#endif
