/*
 * oracle_answer.c - the contract again: order, weights, filters, draw and
 * log-probabilities of a row
 *
 * One record a token, sorted with qsort() and marked: no prefix, no early end.
 */

#include "oracle.h"

#include "floats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 uint128;

struct record {
    float x;
    int32_t token;
    bool in;
    bool kept;
    uint64_t weight;
};

struct picture {
    struct record *records; /* [vocab], those in first, best first */
    size_t vocab;
    size_t in;
    bool nan;
    float m;
    uint64_t sum; /* of the kept weights */
    double log_sum;
};

static int by_order(const void *a, const void *b)
{
    const struct record *left = a, *right = b;

    if (left->in != right->in)
        return left->in ? -1 : 1;
    if (left->in && left->x != right->x)
        return left->x > right->x ? -1 : 1;
    return left->token < right->token ? -1 : 1;
}

/* Section 5. */
static uint64_t weight(float x, float m, float temperature)
{
    float c = (float)(0x1.71547652b82fep+0 / (double)temperature);
    float dmin = -48.0f / c;
    float d = x - m > dmin ? x - m : dmin;
    float z = fmaf(d, c, 12582912.0f);
    float f = fmaf(d, c, 12582924.0f - z) - 12.0f;
    static const float terms[] = {0x1.3ceaf8p-7f, 0x1.c6b61ap-5f,
                                  0x1.ebf996p-3f, 0x1.62e428p-1f, 3.0f};
    float h = 0x1.5bfd58p-10f;

    for (size_t i = 0; i < 5; i++)
        h = fmaf(h, f, terms[i]);
    return ((uint64_t)(bits_of_float(h) - 0x40000000) << 18) >>
           (0x4b400000 - bits_of_float(z));
}

/* Section 9: ln(sum / 2^40). */
static double log_of(uint64_t sum)
{
    int e = 0;
    while (sum >> e > 1)
        e++;
    double f = (double)sum * ldexp(1, -e);
    if (f > 0x1.6a09e667f3bcdp+0) {
        f /= 2;
        e++;
    }
    double s = (f - 1) / (f + 1), z = s * s, r = 1.0 / 13;
    for (int odd = 11; odd >= 1; odd -= 2)
        r = fma(r, z, 1.0 / odd);
    return fma((double)(e - 40), 0x1.62e42fefa39efp-1, (2 * s) * r);
}

/* Sorts and weighs the tokens that are in, and keeps them all. */
static void rank(struct picture *picture, float temperature)
{
    qsort(picture->records, picture->vocab, sizeof(*picture->records),
          by_order);
    picture->m = picture->records[0].x;
    for (size_t i = 0; i < picture->in; i++) {
        struct record *record = &picture->records[i];

        record->kept = true;
        record->weight = weight(record->x, picture->m, temperature);
        picture->sum += record->weight;
    }
}

static struct picture look(const struct test_row *row, bool raw)
{
    struct picture picture = {.vocab = (size_t)row->vocab};

    picture.records = calloc(picture.vocab, sizeof(*picture.records));
    for (int32_t token = 0; token < row->vocab; token++) {
        struct record *record = &picture.records[token];
        float x = oracle_widen(row, (size_t)token);

        record->token = token;
        if (!raw)
            x = oracle_edit(row, token, x, &picture.nan);
        record->in = x > -INFINITY; /* a NaN is not */
        record->x = x > FLT_MAX ? FLT_MAX : x == 0 ? 0.0f : x;
        picture.in += record->in;
    }
    return picture;
}

/* Section 6, by marking: what is kept is looked for anew in each step. */
static void filter(struct picture *picture, const struct tessera_params *p)
{
    struct record *records = picture->records;
    uint64_t total = 0, before = 0;

    for (size_t i = 0; i < picture->in; i++) {
        records[i].kept = p->top_k < 1 || i < (size_t)p->top_k;
        total += records[i].kept ? records[i].weight : 0;
    }
    uint128 share = (uint128)rint((double)p->top_p * 4294967296.0);
    for (size_t i = 0; i < picture->in && p->top_p != 1; i++) {
        if (i > 0 && (uint128)before * 4294967296u >= share * total)
            records[i].kept = false;
        before += records[i].weight;
    }
    double least = ceil((double)p->min_p * 0x1p40);
    picture->sum = 0;
    for (size_t i = 0; i < picture->in; i++) {
        if (records[i].weight < 1 || (double)records[i].weight < least)
            records[i].kept = false;
        picture->sum += records[i].kept ? records[i].weight : 0;
    }
}

/* The row as drawn from.  Nothing is in where it is empty or invalid. */
static struct picture look_processed(const struct test_row *row, bool *greedy)
{
    struct picture picture = look(row, false);

    *greedy = row->params.temperature < float_of_bits(0x3727c5ac);
    if (picture.in == 0)
        return picture;
    rank(&picture, *greedy ? 1 : row->params.temperature);
    if (*greedy) {
        for (size_t i = 1; i < picture.in; i++)
            picture.records[i].kept = false;
        picture.sum = ONE;
    } else {
        filter(&picture, &row->params);
    }
    picture.log_sum = log_of(picture.sum);
    return picture;
}

static uint32_t logprob(const struct picture *picture, size_t i,
                        float temperature, bool greedy)
{
    if (greedy)
        return 0;
    float d = picture->records[i].x - picture->m;
    return bits_of_float(
        (float)((double)d / (double)temperature - picture->log_sum));
}

static void list_top(const struct picture *picture, float temperature,
                     bool greedy, struct row_result *result)
{
    for (size_t i = 0; i < TOP_N; i++) {
        bool listed = i < picture->in && picture->records[i].kept;

        result->top_tokens[i] = listed ? picture->records[i].token : -1;
        result->top_logprobs[i] = listed
                                      ? logprob(picture, i, temperature, greedy)
                                      : MINUS_INFINITY_BITS;
    }
}

/* Where a token stands. */
static size_t find(const struct picture *picture, int32_t token)
{
    size_t i = 0;

    while (picture->records[i].token != token)
        i++;
    return i;
}

uint64_t oracle_weights(const struct test_row *row, uint64_t *weights)
{
    bool greedy;

    for (int32_t token = 0; token < row->vocab; token++)
        weights[token] = 0;
    if (!oracle_valid(row))
        return 0;
    struct picture picture = look_processed(row, &greedy);
    for (size_t i = 0; i < picture.in; i++)
        if (picture.records[i].kept)
            weights[picture.records[i].token] = picture.records[i].weight;
    free(picture.records);
    return picture.sum;
}

/* Section 7: the first token whose running sum exceeds the target. */
static int32_t draw(const struct test_row *row)
{
    uint64_t *weights = malloc((size_t)row->vocab * sizeof(*weights));
    uint64_t sum = oracle_weights(row, weights);
    const struct tessera_params *p = &row->params;
    uint64_t target = scaled(oracle_random(p->seed, p->stream, p->step), sum);
    uint64_t running = 0;
    int32_t drawn = -1;

    for (int32_t token = 0; token < row->vocab; token++) {
        running += weights[token];
        if (drawn < 0 && running > target)
            drawn = token;
    }
    free(weights);
    return drawn;
}

struct row_result oracle_answer(const struct test_row *row, bool top_raw)
{
    struct row_result result = {.token = -1,
                                .logprob = MINUS_INFINITY_BITS,
                                .raw_logprob = MINUS_INFINITY_BITS};
    struct picture nothing = {.in = 0};
    bool greedy = false;

    list_top(&nothing, 1, false, &result);
    if (!oracle_valid(row)) {
        result.status = TESSERA_ROW_INVALID;
        return result;
    }
    struct picture processed = look_processed(row, &greedy);
    struct picture raw = look(row, true);
    if (raw.in > 0) {
        rank(&raw, 1);
        raw.log_sum = log_of(raw.sum);
    }
    if (top_raw)
        list_top(&raw, 1, false, &result);
    else
        list_top(&processed, row->params.temperature, greedy, &result);
    result.status = processed.nan ? TESSERA_ROW_NAN : TESSERA_ROW_OK;
    if (processed.in == 0) {
        result.status |= TESSERA_ROW_EMPTY;
    } else {
        float given = row->maximum > FLT_MAX ? FLT_MAX : row->maximum;

        if (!isnan(given) && given != processed.records[0].x)
            result.status |= TESSERA_ROW_MAXIMUM;
        result.token = greedy ? processed.records[0].token : draw(row);
        for (size_t i = 0; i < processed.in; i++)
            result.n_kept += processed.records[i].kept;
        result.weight_sum = processed.sum;
        result.logprob = logprob(&processed, find(&processed, result.token),
                                 row->params.temperature, greedy);
        result.rank = (int32_t)find(&raw, result.token) + 1;
        result.raw_logprob = logprob(&raw, (size_t)result.rank - 1, 1, false);
    }
    free(processed.records);
    free(raw.records);
    return result;
}
