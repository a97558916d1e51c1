/*
 * properties_rows.c - what must hold between the answers of related rows, and
 * between the outputs of one
 */

#include "oracle.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int32_t vocabs[] = {1, 2, 31, 33, 997, 5003};
enum { VOCABS = sizeof(vocabs) / sizeof(vocabs[0]) };

static const struct layout plain_layout;

/* The kinds of rows that answer their best token, whatever the seed. */
static void make_greedy(struct test_row *row, size_t way)
{
    static const float temperatures[] = {0, -0.0f, 9.9e-6f, 1, 0.3f, 1e6f};

    row->params.top_k = way == 3 ? 1 : 0;
    row->params.top_p = way == 4 ? 0 : 1;
    row->params.min_p = 0;
    if (way == 5) {
        row->params.top_k = 1;
        row->params.top_p = 0.5f;
        row->params.min_p = 1;
    }
    row->params.temperature = temperatures[way];
}

Test(properties_rows, all_ways_to_ask_for_greedy_give_the_same_token)
{
    enum { WAYS = 6, BATCH = 2 * WAYS };

    for (size_t round = 0; round < 20 * VOCABS; round++) {
        struct random random = {round};
        struct test_row row =
            random_row(&random, TESSERA_FLOAT32, vocabs[round % VOCABS]);
        struct test_row rows[BATCH];
        struct row_result results[BATCH];

        for (size_t i = 0; i < BATCH; i++) {
            rows[i] = row;
            make_greedy(&rows[i], i % WAYS);
            rows[i].params.seed = random_next(&random);
        }
        for (EACH_BACKEND(backend)) {
            run_rows(backend, rows, BATCH, &plain_layout, results);
            for (size_t i = 0; i < BATCH; i++) {
                bool empty = results[0].status & TESSERA_ROW_EMPTY;

                cr_assert(results[i].token == results[0].token &&
                              results[i].status == results[0].status &&
                              results[i].n_kept == !empty &&
                              results[i].weight_sum == (empty ? 0 : ONE),
                          "%s, round %zu, way %zu: token %d of %d, greedy %d",
                          backend->name, round, i % WAYS, results[i].token,
                          results[i].n_kept, results[0].token);
            }
        }
        random_row_free(&row);
    }
}

/* Nor is one of weight 0. */
Test(properties_rows, what_was_removed_is_never_drawn)
{
    enum { DRAWS = 200 };
    const struct layout layout = {.shared = true};
    struct test_row *rows = malloc(DRAWS * sizeof(*rows));
    struct row_result *results = malloc(DRAWS * sizeof(*results));

    for (size_t round = 0; round < 10 * VOCABS; round++) {
        struct random random = {500 + round};
        int32_t vocab = vocabs[round % VOCABS];
        struct test_row row = random_row(&random, TESSERA_BFLOAT16, vocab);
        uint64_t *weights = malloc((size_t)vocab * sizeof(*weights));

        uint64_t sum = oracle_weights(&row, weights);
        row.params.step = 0;
        for (size_t i = 0; i < DRAWS; i++) {
            rows[i] = row;
            rows[i].params.step = i;
        }
        for (EACH_BACKEND(backend)) {
            run_rows(backend, rows, DRAWS, &layout, results);
            for (size_t i = 0; i < DRAWS; i++) {
                int32_t token = results[i].token;

                cr_assert(sum == 0 ? token == -1
                                   : token >= 0 && token < vocab &&
                                         weights[token] > 0,
                          "%s, round %zu, step %zu: token %d", backend->name,
                          round, i, token);
            }
        }
        free(weights);
        random_row_free(&row);
    }
    free(rows);
    free(results);
}

/* The outputs of a call as an array of pointers, in the order of the struct,
 * and one of them taken away or left alone. */
static void choose_outputs(struct tessera_outputs *outputs, size_t which,
                           bool only)
{
    bool wanted[9];

    for (size_t i = 0; i < 9; i++)
        wanted[i] = (i == which) == only;
    outputs->token = wanted[0] ? outputs->token : NULL;
    outputs->logprob = wanted[1] ? outputs->logprob : NULL;
    outputs->raw_logprob = wanted[2] ? outputs->raw_logprob : NULL;
    outputs->rank = wanted[3] ? outputs->rank : NULL;
    outputs->top_tokens = wanted[4] ? outputs->top_tokens : NULL;
    outputs->top_logprobs = wanted[5] ? outputs->top_logprobs : NULL;
    outputs->n_kept = wanted[6] ? outputs->n_kept : NULL;
    outputs->weight_sum = wanted[7] ? outputs->weight_sum : NULL;
    outputs->status = wanted[8] ? outputs->status : NULL;
}

/* Takes from a full result what was not asked for in another. */
static void forget(struct row_result *full,
                   const struct tessera_outputs *outputs)
{
    if (!outputs->token)
        full->token = 0;
    if (!outputs->logprob)
        full->logprob = 0;
    if (!outputs->raw_logprob)
        full->raw_logprob = 0;
    if (!outputs->rank)
        full->rank = 0;
    if (!outputs->n_kept)
        full->n_kept = 0;
    if (!outputs->weight_sum)
        full->weight_sum = 0;
    if (!outputs->status)
        full->status = 0;
    for (int32_t i = 0; i < TOP_N; i++) {
        if (!outputs->top_tokens || i >= outputs->top_n)
            full->top_tokens[i] = 0;
        if (!outputs->top_logprobs || i >= outputs->top_n)
            full->top_logprobs[i] = 0;
    }
}

/* Any outputs, and lists of any length: the longest list's beginning. */
Test(properties_rows, asking_for_less_changes_nothing)
{
    enum { BATCH = 6 };
    static const int32_t top_n[] = {TOP_N, 0, 1, 5};

    for (size_t round = 0; round < 6 * VOCABS; round++) {
        struct random random = {900 + round};
        struct layout layout = {.top_raw = round % 2};
        struct test_row rows[BATCH];

        for (size_t i = 0; i < BATCH; i++)
            rows[i] = random_row(&random, TESSERA_FLOAT16, vocabs[round / 6]);
        for (EACH_BACKEND(backend)) {
            struct row_result full[BATCH];

            run_rows(backend, rows, BATCH, &layout, full);
            for (size_t way = 0; way < 2 * 9; way++) {
                struct call call;

                call_build(&call, backend, rows, BATCH, &layout, NULL);
                choose_outputs(&call.outputs, way / 2, way % 2);
                call.outputs.top_n = top_n[(way + round) % 4];
                cr_assert(call_run(&call) == TESSERA_OK);
                for (size_t i = 0; i < BATCH; i++) {
                    struct row_result expected = full[i];
                    struct row_result result = call_result(&call, i);

                    forget(&expected, &call.outputs);
                    cr_assert(memcmp(&result, &expected, sizeof(result)) == 0,
                              "%s, round %zu, outputs %zu, row %zu: token %d "
                              "(%d)",
                              backend->name, round, way, i, result.token,
                              expected.token);
                }
                call_free(&call);
            }
        }
        for (size_t i = 0; i < BATCH; i++)
            random_row_free(&rows[i]);
    }
}

/* What top_k k + 1 adds to the sum is the weight of one more token: at most
 * that of the token before, and 2^40 for the first. */
Test(properties_rows, sums_grow_by_weights_that_never_rise)
{
    enum { MOST = 33 };

    for (size_t round = 0; round < 200; round++) {
        struct random random = {1300 + round};
        int32_t vocab = vocabs[round % 4];
        struct test_row row = random_row(&random, TESSERA_FLOAT32, vocab);
        struct test_row rows[MOST];
        struct row_result results[MOST];

        row.params.temperature = random_between(&random, 0.01f, 4);
        row.params.top_p = 1;
        row.params.min_p = 0;
        for (int32_t i = 0; i < vocab; i++) {
            rows[i] = row;
            rows[i].params.top_k = i + 1;
        }
        for (EACH_BACKEND(backend)) {
            uint64_t last = ONE;
            uint64_t sum = 0;

            run_rows(backend, rows, (size_t)vocab, &plain_layout, results);
            for (int32_t i = 0; i < vocab; i++) {
                uint64_t weight = results[i].weight_sum - sum;

                if (results[i].status & TESSERA_ROW_EMPTY)
                    break;
                cr_assert(i == 0 ? weight == ONE : weight <= last,
                          "%s, round %zu: place %d weighs %llu", backend->name,
                          round, i, (unsigned long long)weight);
                cr_assert(results[i].n_kept ==
                          (i == 0 ? 1 : results[i - 1].n_kept + (weight > 0)));
                last = weight;
                sum = results[i].weight_sum;
            }
        }
        random_row_free(&row);
    }
}
