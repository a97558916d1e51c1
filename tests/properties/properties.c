/*
 * properties.c - what changes around a row changes nothing in its answer
 */

#include "oracle.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16 };

static const int32_t vocabs[] = {1, 2, 31, 33, 997, 5003};
enum { VOCABS = sizeof(vocabs) / sizeof(vocabs[0]) };

/* More rounds where a row costs less. */
static size_t rounds(int32_t vocab)
{
    if (tests_are_quick())
        return vocab < 100 ? 1 : 0;
    return vocab < 100 ? 30 : vocab < 1000 ? 8 : 2;
}

static void make_rows(struct test_row *rows, size_t vocab_at, size_t round)
{
    struct random random = {1000 * (vocab_at + 1) + round};

    for (size_t i = 0; i < ROWS; i++)
        rows[i] = random_row(&random, TESSERA_FLOAT32, vocabs[vocab_at]);
    give_maxima(&random, rows, ROWS);
}

static void free_rows(struct test_row *rows)
{
    for (size_t i = 0; i < ROWS; i++)
        random_row_free(&rows[i]);
}

/* Where a comparison is made, for its message. */
struct here {
    const struct backend *backend;
    size_t vocab_at;
    size_t round;
};

static void expect_equal(const struct here *here, size_t row,
                         const struct row_result *changed,
                         const struct row_result *plain)
{
    cr_assert(
        memcmp(changed, plain, sizeof(*plain)) == 0,
        "%s, vocab %d, round %zu, row %zu: token %d (%d), status %u "
        "(%u), n_kept %d (%d), weight_sum %llu (%llu), rank %d (%d)",
        here->backend->name, vocabs[here->vocab_at], here->round, row,
        changed->token, plain->token, changed->status, plain->status,
        changed->n_kept, plain->n_kept, (unsigned long long)changed->weight_sum,
        (unsigned long long)plain->weight_sum, changed->rank, plain->rank);
}

/* Random rows and their answers, in one batch, handed to a property. */
typedef void property(const struct here *here, struct test_row *rows,
                      const struct row_result *plain);

static void for_random_rows(property *holds)
{
    const struct layout layout = {0};
    struct row_result plain[ROWS];
    struct test_row rows[ROWS];

    for (size_t at = 0; at < VOCABS; at++)
        for (size_t round = 0; round < rounds(vocabs[at]); round++) {
            make_rows(rows, at, round);
            for (EACH_BACKEND(backend)) {
                const struct here here = {backend, at, round};

                run_rows(backend, rows, ROWS, &layout, plain);
                holds(&here, rows, plain);
            }
            free_rows(rows);
        }
}

static void permuted(const struct here *here, struct test_row *rows,
                     const struct row_result *plain)
{
    const struct layout layout = {0};
    struct row_result results[ROWS];
    struct test_row moved[ROWS];

    for (size_t i = 0; i < ROWS; i++)
        moved[(i * 7 + 3) % ROWS] = rows[i];
    run_rows(here->backend, moved, ROWS, &layout, results);
    for (size_t i = 0; i < ROWS; i++)
        expect_equal(here, i, &results[(i * 7 + 3) % ROWS], &plain[i]);
}

Test(properties, permuting_the_rows_of_a_batch_permutes_the_answers)
{
    for_random_rows(permuted);
}

static void split(const struct here *here, struct test_row *rows,
                  const struct row_result *plain)
{
    static const size_t parts[] = {1, 5, 10};
    const struct layout layout = {.shared = true};
    struct row_result results[ROWS];
    size_t start = 0;

    for (size_t part = 0; part < 3; part++) {
        run_rows(here->backend, rows + start, parts[part], &layout,
                 results + start);
        start += parts[part];
    }
    for (size_t i = 0; i < ROWS; i++)
        expect_equal(here, i, &results[i], &plain[i]);
}

Test(properties, splitting_a_batch_changes_nothing)
{
    for_random_rows(split);
}

/* Rows are aligned to an element and no better. */
static void laid_out(const struct here *here, struct test_row *rows,
                     const struct row_result *plain)
{
    static const int64_t gaps[] = {0, 1, 3, 61};
    struct row_result results[ROWS];

    for (size_t i = 0; i < 8; i++) {
        const struct layout layout = {
            .shared = i % 2,
            .logits_gap = gaps[i % 4],
            .logits_shift = (int64_t)i % 5,
            .params_gap = i * 8,
            .params_memory =
                i / 4 ? TESSERA_MEMORY_SAMPLER : TESSERA_MEMORY_HOST,
        };

        run_rows(here->backend, rows, ROWS, &layout, results);
        for (size_t row = 0; row < ROWS; row++)
            expect_equal(here, row, &results[row], &plain[row]);
    }
}

Test(properties, strides_and_alignment_change_nothing)
{
    for_random_rows(laid_out);
}

/* The values of random rows fit every type. */
static void in_16_bits(const struct here *here, struct test_row *rows,
                       const struct row_result *plain)
{
    static const enum tessera_dtype types[] = {TESSERA_FLOAT16,
                                               TESSERA_BFLOAT16};
    const struct layout layout = {.logits_gap = 61, .logits_shift = 1};
    struct row_result results[ROWS];
    struct test_row narrow[ROWS];

    for (size_t type = 0; type < 2; type++) {
        for (size_t i = 0; i < ROWS; i++) {
            size_t vocab = (size_t)rows[i].vocab;
            void *logits = malloc(vocab * sizeof(uint16_t));

            for (size_t token = 0; token < vocab; token++)
                store_float(logits, types[type], token,
                            oracle_widen(&rows[i], token));
            narrow[i] = rows[i];
            narrow[i].type = types[type];
            narrow[i].logits = logits;
        }
        run_rows(here->backend, narrow, ROWS, &layout, results);
        for (size_t i = 0; i < ROWS; i++) {
            expect_equal(here, i, &results[i], &plain[i]);
            free_const(narrow[i].logits);
        }
    }
}

Test(properties, three_types_of_the_same_values_give_the_same_answer)
{
    for_random_rows(in_16_bits);
}

/* Tokens at -inf are added at the end, with mask bits of either value. */
static void padded(const struct here *here, struct test_row *rows,
                   const struct row_result *plain)
{
    enum { MORE = 37 };
    const struct layout layout = {0};
    struct row_result results[ROWS];
    struct test_row longer[ROWS];
    size_t vocab = (size_t)rows[0].vocab;
    size_t words = (vocab + MORE + 31) / 32;

    for (size_t i = 0; i < ROWS; i++) {
        float *logits = malloc((vocab + MORE) * sizeof(*logits));

        memcpy(logits, rows[i].logits, vocab * sizeof(*logits));
        for (size_t token = vocab; token < vocab + MORE; token++)
            logits[token] = -INFINITY;
        longer[i] = rows[i];
        longer[i].vocab += MORE;
        longer[i].logits = logits;
        if (rows[i].mask) {
            uint32_t *mask = malloc(words * sizeof(*mask));

            memset(mask, 0x5a, words * sizeof(*mask));
            memcpy(mask, rows[i].mask, (vocab + 31) / 32 * sizeof(*mask));
            longer[i].mask = mask;
        }
    }
    run_rows(here->backend, longer, ROWS, &layout, results);
    for (size_t i = 0; i < ROWS; i++) {
        expect_equal(here, i, &results[i], &plain[i]);
        free_const(longer[i].logits);
        free_const(longer[i].mask);
    }
}

/* The history of a random row may hold the id 'vocab' as a placeholder, which
 * is a token of the longer row; it is out, so penalties leave it there. */
Test(properties, adding_tokens_that_are_out_changes_nothing)
{
    for_random_rows(padded);
}

/* n sequences of one request: the same row under several streams. */
static void streamed(const struct here *here, struct test_row *rows,
                     const struct row_result *plain)
{
    const struct layout layout = {.shared = true};
    struct row_result results[ROWS];
    struct test_row streams[ROWS];
    struct row_result alone;

    for (size_t i = 0; i < ROWS; i++) {
        streams[i] = rows[0];
        streams[i].params.stream = rows[0].params.stream + i;
    }
    run_rows(here->backend, streams, ROWS, &layout, results);
    expect_equal(here, 0, &results[0], &plain[0]);
    for (size_t i = 1; i < ROWS; i++) {
        run_rows(here->backend, &streams[i], 1, &layout, &alone);
        expect_equal(here, i, &results[i], &alone);
        cr_assert(results[i].weight_sum == plain[0].weight_sum);
    }
}

Test(properties, the_sequences_of_a_request_are_as_if_alone)
{
    for_random_rows(streamed);
}

/* A workspace for one row at a time. */
static void in_chunks(const struct here *here, struct test_row *rows,
                      const struct row_result *plain)
{
    const struct layout layout = {0};
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct call call;

    config.device = here->backend->device;
    config.vocab = rows[0].vocab;
    config.max_rows = ROWS;
    config.max_top_logprobs = TOP_N;
    config.workspace_limit = 1;
    call_build(&call, here->backend, rows, ROWS, &layout, &config);
    cr_assert(call_run(&call) == TESSERA_OK, "%s", tessera_last_error());
    for (size_t i = 0; i < ROWS; i++) {
        struct row_result result = call_result(&call, i);

        expect_equal(here, i, &result, &plain[i]);
    }
    call_free(&call);
}

Test(properties, a_small_workspace_limit_changes_nothing)
{
    for_random_rows(in_chunks);
}
