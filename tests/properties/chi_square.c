/*
 * chi_square.c - tokens are drawn as often as their weights say
 *
 * Pearson's test with fixed seeds, so it passes always or never.  The bound is
 * 10 standard deviations above the mean of the statistic, which has df degrees
 * of freedom: df + 10 sqrt(2 df).
 */

#include "oracle.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 100000, BATCH = 4000, VOCAB = 1000 };

/* What differs from draw to draw. */
enum walk { STEPS, STREAMS, SEEDS, HIGH_STEPS, WALKS };

static void walk_to(struct tessera_params *params, enum walk walk, uint64_t i)
{
    params->seed = walk == SEEDS ? i : 42;
    params->stream = walk == STREAMS ? i : 0;
    params->step = walk == STEPS ? i : walk == HIGH_STEPS ? i << 32 : 0;
}

/* The tokens of DRAWS draws. */
static void draw_all(const struct backend *backend, const struct test_row *row,
                     enum walk walk, int32_t *tokens)
{
    const struct layout layout = {.shared = true};
    struct test_row *rows = malloc(BATCH * sizeof(*rows));
    struct call call;

    for (size_t i = 0; i < BATCH; i++)
        rows[i] = *row;
    call_build(&call, backend, rows, BATCH, &layout, NULL);
    call.outputs = (struct tessera_outputs){
        .sizeof_outputs = sizeof(call.outputs), .token = call.outputs.token};
    for (size_t start = 0; start < DRAWS; start += BATCH) {
        for (size_t i = 0; i < BATCH; i++)
            walk_to(&call.batch.params[i], walk, start + i);
        cr_assert(call_run(&call) == TESSERA_OK);
        for (size_t i = 0; i < BATCH; i++)
            tokens[start + i] = call.outputs.token[i];
    }
    call_free(&call);
    free(rows);
}

/* How many standard deviations the statistic is above its mean.  Bins in which
 * less than 5 are expected are taken together. */
static double deviation(const uint64_t *counts, const double *shares,
                        size_t bins, uint64_t draws)
{
    double rest_expected = 0;
    double rest_count = 0;
    double statistic = 0;
    double df = -1;

    for (size_t bin = 0; bin < bins; bin++) {
        double expected = shares[bin] * (double)draws;

        if (expected < 5) {
            rest_expected += expected;
            rest_count += (double)counts[bin];
            continue;
        }
        double off = (double)counts[bin] - expected;
        statistic += off * off / expected;
        df++;
    }
    if (rest_expected >= 5) {
        double off = rest_count - rest_expected;
        statistic += off * off / rest_expected;
        df++;
    }
    return df < 1 ? 0 : (statistic - df) / sqrt(2 * df);
}

static void expect_shares(const char *name, const struct test_row *row,
                          enum walk walk)
{
    size_t vocab = (size_t)row->vocab;
    uint64_t *weights = malloc(vocab * sizeof(*weights));
    double *shares = malloc(vocab * sizeof(*shares));
    int32_t *tokens = malloc(DRAWS * sizeof(*tokens));
    double sum = (double)oracle_weights(row, weights);

    for (size_t token = 0; token < vocab; token++)
        shares[token] = (double)weights[token] / sum;
    for (EACH_BACKEND(backend)) {
        uint64_t *counts = calloc(vocab, sizeof(*counts));

        draw_all(backend, row, walk, tokens);
        for (size_t i = 0; i < DRAWS; i++)
            counts[tokens[i]]++;
        for (size_t token = 0; token < vocab; token++)
            cr_assert(weights[token] > 0 || counts[token] == 0);
        double sigmas = deviation(counts, shares, vocab, DRAWS);
        cr_assert(sigmas < 10, "%s, %s, walk %d: %.1f sigma", backend->name,
                  name, (int)walk, sigmas);
        free(counts);
    }
    free(weights);
    free(shares);
    free(tokens);
}

/* Shapes: each logit falls by 'fall' from the last, from 'vocab' tokens. */
static struct test_row slope(float *logits, int32_t vocab, float fall)
{
    struct test_row row = row_of(TESSERA_FLOAT32, vocab, logits);

    for (int32_t token = 0; token < vocab; token++)
        logits[token] = -fall * (float)token;
    return row;
}

static struct test_row bell(float *logits)
{
    struct random random = {11};
    struct test_row row = row_of(TESSERA_FLOAT32, VOCAB, logits);

    for (int32_t token = 0; token < VOCAB; token++) {
        logits[token] = 0;
        for (int i = 0; i < 12; i++)
            logits[token] += random_between(&random, -0.5f, 0.5f);
    }
    return row;
}

Test(chi_square, equal_tokens)
{
    static float logits[VOCAB];
    static const int32_t vocabs[] = {2, 7, 64, VOCAB};

    for (size_t i = 0; i < 4; i++)
        for (int walk = 0; walk < WALKS; walk++) {
            struct test_row row = slope(logits, vocabs[i], 0);
            expect_shares("equal", &row, (enum walk)walk);
        }
}

Test(chi_square, unequal_tokens)
{
    static float logits[VOCAB];
    struct test_row row;

    row = slope(logits, 30, 1);
    row.params.temperature = UNIT_TEMPERATURE;
    expect_shares("halves", &row, STEPS);
    row = slope(logits, 2, 6);
    expect_shares("two of 400 to 1", &row, STREAMS);
    row = slope(logits, VOCAB, 0.01f);
    expect_shares("a gentle slope", &row, SEEDS);
    row = slope(logits, VOCAB, 0);
    logits[500] = 7;
    expect_shares("a peak", &row, STEPS);
    row = bell(logits);
    expect_shares("a bell", &row, STREAMS);
    row.params.temperature = 3;
    expect_shares("a flat bell", &row, HIGH_STEPS);
    row.params.temperature = 0.2f;
    expect_shares("a sharp bell", &row, SEEDS);
}

Test(chi_square, filtered_and_edited_rows)
{
    static float logits[VOCAB];
    static const int32_t generated[] = {0, 0, 1, 5};
    static const struct tessera_bias bias[] = {{3, 1}, {4, -INFINITY}};
    uint32_t mask[(VOCAB + 31) / 32];
    struct test_row row = bell(logits);

    row.params.top_k = 50;
    expect_shares("top-k", &row, STEPS);
    row.params.top_p = 0.8f;
    expect_shares("top-k and top-p", &row, STREAMS);
    row = bell(logits);
    row.params.top_p = 0.9f;
    expect_shares("top-p", &row, SEEDS);
    row = bell(logits);
    row.params.min_p = 0.1f;
    expect_shares("min-p", &row, STEPS);
    row = bell(logits);
    for (size_t word = 0; word < sizeof(mask) / sizeof(mask[0]); word++)
        mask[word] = 0x81428142;
    row.mask = mask;
    expect_shares("masked", &row, STEPS);
    row = slope(logits, 8, 0.25f);
    row.generated = (struct id_list){generated, 4};
    row.bias = (struct bias_list){bias, 2};
    row.params.repetition_penalty = 1.5f;
    row.params.frequency_penalty = 0.25f;
    row.params.presence_penalty = -0.5f;
    expect_shares("edited", &row, STREAMS);
}

/* Consecutive draws know nothing of each other: pairs of 7 x 7 tokens. */
Test(chi_square, pairs_of_draws)
{
    enum { TOKENS = 7, PAIRS = TOKENS * TOKENS };
    static float logits[TOKENS];
    struct test_row row = slope(logits, TOKENS, 0);
    int32_t *tokens = malloc(DRAWS * sizeof(*tokens));
    double shares[PAIRS];

    for (size_t i = 0; i < PAIRS; i++)
        shares[i] = 1.0 / PAIRS;
    for (EACH_BACKEND(backend))
        for (int walk = 0; walk < WALKS; walk++) {
            uint64_t counts[PAIRS] = {0};

            draw_all(backend, &row, (enum walk)walk, tokens);
            for (size_t i = 0; i + 1 < DRAWS; i += 2)
                counts[tokens[i] * TOKENS + tokens[i + 1]]++;
            double sigmas = deviation(counts, shares, PAIRS, DRAWS / 2);
            cr_assert(sigmas < 10, "%s, walk %d: %.1f sigma", backend->name,
                      walk, sigmas);
        }
    free(tokens);
}

/* The test must be able to fail: shares that are 3 % off, or two tokens
 * swapped, are found. */
Test(chi_square, the_test_sees_shares_that_are_a_few_percent_off)
{
    enum { TOKENS = 8 };
    static float logits[TOKENS];
    struct test_row row = slope(logits, TOKENS, 0.125f);
    int32_t *tokens = malloc(DRAWS * sizeof(*tokens));
    uint64_t counts[TOKENS] = {0};
    uint64_t weights[TOKENS];
    double exact[TOKENS], tilted[TOKENS], swapped[TOKENS];

    double sum = (double)oracle_weights(&row, weights);
    for (size_t i = 0; i < TOKENS; i++) {
        exact[i] = (double)weights[i] / sum;
        tilted[i] = exact[i] * (i % 2 ? 1.03 : 0.97);
        swapped[i ^ 1] = exact[i];
    }
    draw_all(next_backend(NULL, true), &row, STEPS, tokens);
    for (size_t i = 0; i < DRAWS; i++)
        counts[tokens[i]]++;
    cr_assert(deviation(counts, exact, TOKENS, DRAWS) < 10);
    cr_assert(deviation(counts, tilted, TOKENS, DRAWS) > 10);
    cr_assert(deviation(counts, swapped, TOKENS, DRAWS) > 10);
    free(tokens);
}
