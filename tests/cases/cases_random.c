/*
 * cases_random.c - public faults of seeds and of the batch around a row
 */

#include "case_check.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* x = [0, 1, 2, 3, 4], T 2. */
static struct test_row ramp(void)
{
    static const float logits[] = {0, 1, 2, 3, 4};
    struct test_row row = row_of(TESSERA_FLOAT32, 5, logits);

    row.params.temperature = 2;
    return row;
}

static const uint64_t ramp_sum = 2565023596544;

/* RNG-01, flashinfer#4861: an array of seeds was accepted and element 0 used
 * for all rows. */
Test(cases_random, every_row_uses_its_own_seed)
{
    const struct answer answers[] = {
        {.n_kept = 5,
         .weight_sum = ramp_sum,
         .draws = IDS(4, 4, 2, 4, 2, 2, 3, 3)},
        {.n_kept = 5,
         .weight_sum = ramp_sum,
         .draws = IDS(3, 1, 3, 2, 1, 4, 0, 2)},
        {.n_kept = 5,
         .weight_sum = ramp_sum,
         .draws = IDS(4, 2, 4, 1, 4, 3, 4, 4)},
        {.n_kept = 5,
         .weight_sum = ramp_sum,
         .draws = IDS(1, 4, 4, 1, 4, 2, 3, 2)},
    };
    static const size_t orders[][4] = {
        {0, 1, 2, 3}, {1, 3, 0, 2}, {2, 0, 3, 1}, {0, 2, 1, 3}};

    for (size_t order = 0; order < 4; order++) {
        struct test_row rows[4];
        struct answer ordered[4];

        for (size_t i = 0; i < 4; i++) {
            rows[i] = ramp();
            rows[i].params.seed = orders[order][i] + 1;
            ordered[i] = answers[orders[order][i]];
        }
        EXPECT_BATCH(rows, ordered);
    }
}

/* RNG-02, sglang#35697: noise was indexed by sorted rank as soon as any row of
 * the batch had a filter. */
Test(cases_random, the_filter_of_a_neighbour_changes_nothing)
{
    static const uint32_t mask[] = {0x15};
    const struct answer answers[] = {
        {.n_kept = 5,
         .weight_sum = ramp_sum,
         .draws = IDS(4, 3, 0, 3, 2, 3, 4, 2)},
        {.status = TESSERA_ROW_OK},
    };
    struct test_row row = ramp();

    row.params.seed = 7;
    for (int neighbour = 0; neighbour < 4; neighbour++) {
        struct test_row rows[] = {row, ramp()};

        if (neighbour == 1)
            rows[1].params.temperature = 0;
        if (neighbour == 2)
            rows[1].params.top_k = 1;
        if (neighbour == 3)
            rows[1].params.top_p = 0.5f;
        if (neighbour == 3)
            rows[1].mask = mask;
        EXPECT_BATCH(rows, answers);
    }
    row.params.top_k = 3;
    EXPECT(row, .kept = IDS(2, 3, 4), .draws = IDS(4, 3, 2, 3, 3, 3, 4, 3));
}

/* RNG-03, vllm#11898: the seed was copied to all n samples, which came out
 * equal. */
Test(cases_random, n_sequences_of_one_request_differ)
{
    const struct answer answers[] = {
        {.weight_sum = ramp_sum, .draws = IDS(4, 4, 4, 4, 3, 3, 2, 3)},
        {.weight_sum = ramp_sum, .draws = IDS(0, 1, 2, 1, 4, 2, 4, 2)},
        {.weight_sum = ramp_sum, .draws = IDS(3, 3, 4, 0, 1, 4, 3, 3)},
        {.weight_sum = ramp_sum, .draws = IDS(0, 3, 3, 2, 2, 2, 3, 3)},
    };
    struct test_row rows[4];

    for (size_t i = 0; i < 4; i++) {
        rows[i] = ramp();
        rows[i].params.stream = i;
    }
    EXPECT_BATCH(rows, answers);
}

/* RNG-04, llama.cpp#7381: the seed of a request was dropped, or a value of all
 * ones meant "random". */
Test(cases_random, a_seed_is_64_bits_and_none_is_special)
{
    static const uint64_t seeds[] = {7, (UINT64_C(1) << 32) + 7, UINT32_MAX,
                                     UINT64_MAX, 0};
    const struct answer answers[] = {
        {.draws = IDS(4, 3, 0, 3, 2, 3, 4, 2)},
        {.draws = IDS(3, 0, 4, 4, 3, 4, 4, 4)},
        {.draws = IDS(4, 3, 4, 3, 3, 3, 3, 2)},
        {.draws = IDS(3, 1, 1, 3, 4, 3, 3, 3)},
        {.draws = IDS(3, 4, 0, 4, 4, 3, 4, 4)},
    };
    struct test_row rows[5];

    for (size_t i = 0; i < 5; i++) {
        rows[i] = ramp();
        rows[i].params.seed = seeds[i];
    }
    EXPECT_BATCH(rows, answers);
}

/* RNG-06, flashinfer#923 and flashinfer#384: u rounded to 1 and the scan ran
 * off the row: id V, or a token that a filter had removed.  At this step the
 * upper half of R is ffffffff. */
Test(cases_random, the_top_end_of_the_random_range)
{
    static const float zeros[32];
    struct test_row row = row_of(TESSERA_FLOAT32, 5, zeros);

    row.params.seed = 1;
    row.params.step = 1711450034;
    row.bans = IDS(3, 4);
    EXPECT(row, .kept = IDS(0, 1, 2), .weight_sum = 3 * ONE, .draws = IDS(2));

    row.vocab = 32;
    row.bans = IDS(30, 31);
    EXPECT(row, .n_kept = 30, .weight_sum = 30 * ONE, .draws = IDS(29));

    /* The last two weigh 0 and are not kept. */
    struct test_row light = ROW(0, 0, -100, -100);
    light.params = row.params;
    EXPECT(light, .kept = IDS(0, 1), .weight_sum = 2 * ONE, .draws = IDS(1));
}

/* A row of RNG-07, with a random mix of filters on the odd ones. */
static struct test_row mixed_row(struct random *random, size_t i)
{
    struct test_row row = ramp();

    row.params.seed = i + 1;
    if (i % 2 == 0)
        return row;
    if (random_once_in(random, 2))
        row.params.top_k = (int32_t)random_below(random, 7) - 1;
    if (random_once_in(random, 2))
        row.params.top_p = random_between(random, 0, 1);
    if (random_once_in(random, 2))
        row.params.min_p = random_between(random, 0, 1);
    if (random_once_in(random, 8))
        row.params.temperature = 0;
    return row;
}

/* RNG-07, vllm#17524 and vllm#51226: a seeded request changed with its place,
 * with its neighbours, or when only some rows had a seed. */
Test(cases_random, permuting_and_resizing_the_batch)
{
    enum { BATCH = 512 };
    struct test_row *rows = malloc(2 * BATCH * sizeof(*rows));
    struct test_row *reversed = rows + BATCH;
    struct row_result *whole = malloc(2 * BATCH * sizeof(*whole));
    struct row_result *other = whole + BATCH;
    const struct layout layout = {0};
    struct random random = {7};

    for (size_t i = 0; i < BATCH; i++) {
        rows[i] = mixed_row(&random, i);
        reversed[BATCH - 1 - i] = rows[i];
    }
    for (EACH_BACKEND(backend)) {
        run_rows(backend, rows, BATCH, &layout, whole);
        cr_assert(whole[0].token == 4 && whole[2].token == 4,
                  "%s: rows 0 and 2 drew %d and %d", backend->name,
                  whole[0].token, whole[2].token);
        run_rows(backend, reversed, BATCH, &layout, other);
        for (size_t i = 0; i < BATCH; i++)
            cr_assert(
                memcmp(&whole[i], &other[BATCH - 1 - i], sizeof(*whole)) == 0,
                "%s, row %zu: token %d, reversed %d", backend->name, i,
                whole[i].token, other[BATCH - 1 - i].token);
        for (size_t i = 0; i < BATCH; i++) {
            run_rows(backend, &rows[i], 1, &layout, other);
            cr_assert(memcmp(&whole[i], other, sizeof(*whole)) == 0,
                      "%s, row %zu: token %d, alone %d", backend->name, i,
                      whole[i].token, other->token);
        }
    }
    free(rows);
    free(whole);
}
