/*
 * oracle_check.c - random rows answer what the contract says, written twice
 */

#include "floats.h"
#include "oracle.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

enum { BATCH = 12 };

static const struct layout layouts[] = {
    {0},
    {.shared = true, .params_memory = TESSERA_MEMORY_SAMPLER},
    {.logits_gap = 5, .logits_shift = 1, .params_gap = 16},
    {.shared = true, .logits_gap = 2, .logits_shift = 3},
};

/* A row that is the one before but for its seed, its filters or its edits: a
 * backend that keeps what it knows of a row must see the difference. */
static struct test_row follow(struct random *random, struct test_row row)
{
    row.params.seed = random_next(random);
    row.params.step++;
    switch (random_below(random, 9)) {
    case 0:
        row.params.top_k = (int32_t)random_below(random, 6);
        break;
    case 1:
        row.params.top_p = random_between(random, 0, 1);
        break;
    case 2:
        row.params.min_p = random_between(random, 0, 0.1f);
        break;
    case 3:
        row.params.temperature = random_between(random, 0, 3);
        break;
    case 4:
        row.mask = NULL;
        break;
    case 5:
        row.bans.count /= 2;
        break;
    case 6:
        row.bias.count /= 2;
        break;
    case 7:
        row.generated.count /= 2;
        row.params.presence_penalty = 0.5f;
        break;
    default:
        break;
    }
    return row;
}

/* Batches of random rows of this vocab, in every type and layout; 24 have each
 * with both kinds of lists. */
static void compare(int32_t vocab, size_t batches)
{
    struct row_result results[BATCH];
    struct test_row rows[BATCH];
    bool owned[BATCH];

    if (tests_are_quick())
        batches = vocab < 100 ? 48 : 1 + 2400 / (size_t)vocab;

    for (size_t batch = 0; batch < batches; batch++) {
        uint64_t seed = (uint64_t)vocab * 1000003 + batch;
        struct random random = {seed};
        enum tessera_dtype type = (enum tessera_dtype)(batch % 3);
        struct layout layout = layouts[batch / 2 % 4];

        for (size_t i = 0; i < BATCH; i++) {
            owned[i] = i == 0 || !random_once_in(&random, 3);
            rows[i] = owned[i] ? random_row(&random, type, vocab)
                               : follow(&random, rows[i - 1]);
        }
        give_maxima(&random, rows, BATCH);
        layout.top_raw = batch % 2;
        for (EACH_BACKEND(backend)) {
            run_rows(backend, rows, BATCH, &layout, results);
            for (size_t i = 0; i < BATCH; i++)
                expect_oracle(backend, &rows[i], layout.top_raw, &results[i],
                              seed, i);
        }
        for (size_t i = 0; i < BATCH; i++)
            if (owned[i])
                random_row_free(&rows[i]);
    }
}

Test(oracle_check, rows_of_1_token)
{
    compare(1, 120);
}

Test(oracle_check, rows_of_2_tokens)
{
    compare(2, 240);
}

Test(oracle_check, rows_of_31_tokens)
{
    compare(31, 480);
}

Test(oracle_check, rows_of_33_tokens)
{
    compare(33, 480);
}

Test(oracle_check, rows_of_997_tokens)
{
    compare(997, 120);
}

Test(oracle_check, rows_of_5003_tokens)
{
    compare(5003, 36);
}

/* Distances where d * c is next to a half, so that one rounding too many gives
 * the other integer: a chance of one in a million among random logits. */
Test(oracle_check, distances_next_to_a_half)
{
    enum { HALVES = 42, NEAR = 9, VOCAB = HALVES * NEAR };
    static const float temperatures[] = {1, 0.7f, 2, 0.3f, 1.3f, 10, 1e-5f};
    float logits[VOCAB];
    struct row_result result;

    for (size_t t = 0; t < sizeof(temperatures) / sizeof(float); t++) {
        struct test_row row = row_of(TESSERA_FLOAT32, VOCAB, logits);
        double c = 0x1.71547652b82fep+0 / (double)temperatures[t];

        row.params.temperature = temperatures[t];
        for (int i = 0; i < VOCAB; i++) {
            float half = (float)(-(i / NEAR + 0.5) / (double)(float)c);
            logits[i] =
                float_of_bits(bits_of_float(half) + (uint32_t)(i % NEAR) - 4);
        }
        logits[0] = 0;
        for (EACH_BACKEND(backend))
            for (int32_t top_k = 0; top_k <= VOCAB; top_k++) {
                row.params.top_k = top_k;
                run_rows(backend, &row, 1, layouts, &result);
                expect_oracle(backend, &row, false, &result, t, (size_t)top_k);
            }
    }
}

/* Known answers of the contract, for the oracle itself. */
Test(oracle_check, the_oracle_knows_the_known_answers)
{
    static const float logits[] = {0, -0.5f, -2.5f, -10, -20, -1000};
    static const uint64_t at_1[] = {1099511627776, 666887258112, 90253443072,
                                    49917760,      2266,         0};
    static const uint64_t at_2[] = {1099511627776, 856300453888, 315015364608,
                                    7408449536,    49917760,     0};
    struct test_row row = row_of(TESSERA_FLOAT32, 6, logits);
    uint64_t weights[6];

    cr_assert(oracle_random(42, 0, 0) == 0x9ceaf05377f5493b);
    cr_assert(oracle_random(42, 0, 1) == 0xfcdb212753ba6cfd);
    cr_assert(oracle_random(0x123456789abcdef0, 7, 1) == 0x1fdc6a16328be767);
    oracle_weights(&row, weights);
    cr_assert(memcmp(weights, at_1, sizeof(weights)) == 0);
    row.params.temperature = 2;
    oracle_weights(&row, weights);
    cr_assert(memcmp(weights, at_2, sizeof(weights)) == 0);
}
