/*
 * row_maxima.c - what the caller says of a row's largest logit changes a bit of
 * its status, and nothing else
 */

#include "batch_builder.h"
#include "floats.h"
#include "oracle.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum tessera_dtype types[] = {TESSERA_FLOAT32, TESSERA_FLOAT16,
                                           TESSERA_BFLOAT16};

/* On a backend: rows answer as rows of which nothing is said do, but for the
 * bit, which those have whose entry of 'wrong' is true. */
static void expect_bits_on(int line, const struct backend *backend,
                           const struct test_row *rows, const bool *wrong,
                           size_t count, const struct layout *layout)
{
    struct test_row *unsaid = calloc(count, sizeof(*unsaid));
    struct row_result *plain = malloc(2 * count * sizeof(*plain));
    struct row_result *said = plain + count;

    for (size_t i = 0; i < count; i++) {
        unsaid[i] = rows[i];
        unsaid[i].maximum = NAN;
    }
    run_rows(backend, unsaid, count, layout, plain);
    run_rows(backend, rows, count, layout, said);
    for (size_t i = 0; i < count; i++) {
        uint32_t status =
            plain[i].status | (wrong[i] ? TESSERA_ROW_MAXIMUM : 0);

        cr_assert(said[i].status == status,
                  "line %d: %s, row %zu, said %a: status %u, not %u", line,
                  backend->name, i, (double)rows[i].maximum, said[i].status,
                  status);
        said[i].status = plain[i].status;
        cr_assert(memcmp(&said[i], &plain[i], sizeof(plain[i])) == 0,
                  "line %d: %s, row %zu, said %a: token %d (%d), n_kept %d "
                  "(%d), weight_sum %llu (%llu)",
                  line, backend->name, i, (double)rows[i].maximum,
                  said[i].token, plain[i].token, said[i].n_kept,
                  plain[i].n_kept, (unsigned long long)said[i].weight_sum,
                  (unsigned long long)plain[i].weight_sum);
    }
    free(unsaid);
    free(plain);
}

/* On every backend, with lists of either kind: without processed ones, what is
 * said is of use. */
static void expect_bits(int line, const struct test_row *rows,
                        const bool *wrong, size_t count, struct layout layout)
{
    for (EACH_BACKEND(backend))
        for (int raw = 0; raw < 2; raw++) {
            layout.top_raw = raw != 0;
            expect_bits_on(line, backend, rows, wrong, count, &layout);
        }
}

/* One row of which 'said' is said. */
static void expect_bit(int line, struct test_row row, float said, bool wrong)
{
    row.maximum = said;
    expect_bits(line, &row, &wrong, 1, (struct layout){0});
}

#define RIGHT(row, said) expect_bit(__LINE__, row, said, false)
#define WRONG(row, said) expect_bit(__LINE__, row, said, true)

Test(row_maxima, a_wrong_one_sets_a_bit)
{
    struct test_row row = ROW(1, 7, -2);

    RIGHT(row, 7);
    WRONG(row, 6.9999995f);
    WRONG(row, 7.0000005f);
    WRONG(row, -7);
    WRONG(row, 0);
    WRONG(row, INFINITY);
    WRONG(row, -INFINITY);
    RIGHT(row, NAN);
}

Test(row_maxima, a_greedy_row_has_one_too)
{
    struct test_row row = ROW(1, 7, -2);

    row.params.temperature = 0;
    RIGHT(row, 7);
    WRONG(row, 1);
    WRONG(row, 8);
}

/* Nor does it turn into another with the temperature. */
Test(row_maxima, the_largest_logit_is_that_after_the_edits)
{
    static const uint32_t without_1[] = {0x5};
    struct test_row row = ROW(1, 8, -2);

    row.params.temperature = 4;
    RIGHT(row, 8);
    row.mask = without_1;
    RIGHT(row, 1);
    WRONG(row, 8);
    row.mask = NULL;
    row.bans = IDS(1);
    RIGHT(row, 1);
    WRONG(row, 8);
    row.bans = (struct id_list){NULL, 0};
    row.bias = BIASES({1, -9.5f}, {2, 4});
    RIGHT(row, 2);
    WRONG(row, 8);
    row.params.repetition_penalty = 2;
    row.generated = IDS(2, 0);
    RIGHT(row, 1);
    WRONG(row, 2);
}

/* +inf counts as the largest float, on either side. */
Test(row_maxima, infinity_is_the_largest_float)
{
    struct test_row infinite = ROW(1, INFINITY);
    struct test_row large = ROW(1, FLT_MAX);
    struct test_row half = ROW_OF_BITS(TESSERA_FLOAT16, 0x3c00, 0x7c00);

    RIGHT(infinite, INFINITY);
    RIGHT(infinite, FLT_MAX);
    WRONG(infinite, 3e38f);
    RIGHT(large, INFINITY);
    RIGHT(large, FLT_MAX);
    RIGHT(half, INFINITY);
    WRONG(half, 65504);
}

/* With subnormals flushed, the last ones would be. */
Test(row_maxima, zeros_are_equal)
{
    struct test_row row = ROW(-1, -0.0f, -3);

    RIGHT(row, 0.0f);
    RIGHT(row, -0.0f);
    WRONG(row, FLT_TRUE_MIN);
    WRONG(row, -FLT_TRUE_MIN);
}

Test(row_maxima, nothing_is_said_of_rows_without_a_token)
{
    struct test_row empty = ROW(-INFINITY, -INFINITY);
    struct test_row broken = ROW(NAN, -INFINITY);
    struct test_row invalid = ROW(1, 2);
    static const float said[] = {-INFINITY, 0, 2, INFINITY, NAN};

    invalid.params.top_p = 2;
    for (size_t i = 0; i < 5; i++) {
        RIGHT(empty, said[i]);
        RIGHT(broken, said[i]);
        RIGHT(invalid, said[i]);
    }
}

Test(row_maxima, a_nan_is_told_as_well)
{
    struct test_row row = ROW(NAN, 3, 2);

    RIGHT(row, 3);
    WRONG(row, 2);
}

/* All copies are more rows than plan fused has on chip at once. */
enum { KINDS = 10, SAID = 6, COPIES = 5, ROWS = KINDS * SAID };

/* Rows of one kind each, logits in steps of 1/8. */
static void make_kinds(struct test_row kinds[KINDS], enum tessera_dtype type,
                       int32_t vocab, const void *logits, const uint32_t *mask)
{
    static const int32_t ids[] = {3, 0, 3, -1};
    static const struct tessera_bias biases[] = {{0, 9.5f}, {3, -2}};

    for (size_t i = 0; i < KINDS; i++) {
        kinds[i] = row_of(type, vocab, logits);
        kinds[i].params.temperature = 3;
        kinds[i].params.step = i;
    }
    kinds[0].params.temperature = 0;
    kinds[2].params.top_k = 3;
    kinds[3].params.top_p = 0.75f;
    kinds[4].params.min_p = 0.01f;
    kinds[5].mask = mask;
    kinds[6].params.repetition_penalty = 1.5f;
    kinds[6].generated = (struct id_list){ids, 4};
    kinds[7].bias = (struct bias_list){biases, 2};
    kinds[8].bans = (struct id_list){ids, 3};
    kinds[9].params.top_k = 2000;
    kinds[9].params.top_p = 0.5f;
}

/* Rows of each kind, of which each thing is said, in one batch, each so many
 * times. */
static void ask_kinds(int32_t vocab, enum tessera_dtype type, size_t copies,
                      struct layout layout)
{
    size_t words = ((size_t)vocab + 31) / 32;
    float *logits = malloc((size_t)vocab * sizeof(*logits));
    uint32_t *mask = malloc(words * sizeof(*mask));
    struct random random = {(uint64_t)vocab};
    struct test_row kinds[KINDS], rows[COPIES * ROWS];
    bool wrong[COPIES * ROWS];

    /* The best token is the last, which the mask takes out. */
    for (int32_t token = 0; token < vocab; token++)
        store_float(logits, type, (size_t)token,
                    (float)random_below(&random, 80) / 8 - 5);
    store_float(logits, type, (size_t)vocab - 1, 6);
    memset(mask, 0xff, words * sizeof(*mask));
    mask[(vocab - 1) / 32] &= ~(UINT32_C(1) << (vocab - 1) % 32);

    make_kinds(kinds, type, vocab, logits, mask);
    for (size_t i = 0; i < copies * ROWS; i++) {
        const struct test_row *kind = &kinds[i / SAID % KINDS];
        float right = oracle_maximum(kind);
        const float said[SAID] = {right,     NAN,       right + 0.125f,
                                  right - 1, -INFINITY, INFINITY};

        rows[i] = *kind;
        rows[i].params.stream = i;
        rows[i].maximum = said[i % SAID];
        wrong[i] = i % SAID > 1;
    }
    expect_bits(__LINE__, rows, wrong, copies * ROWS, layout);
    free(logits);
    free(mask);
}

Test(row_maxima, whatever_a_row_asks_and_whatever_is_said_of_it)
{
    static const struct layout layouts[] = {
        {0},
        {.logits_gap = 3, .logits_shift = 1},
        {.shared = true, .params_memory = TESSERA_MEMORY_SAMPLER},
    };

    for (size_t i = 0; i < 3; i++) {
        ask_kinds(i == 0 ? 1030 : 40, types[i], COPIES, layouts[i]);
        ask_kinds(tests_are_quick() ? 2500 : 9001, types[i], 1,
                  layouts[(i + 1) % 3]);
    }
}
