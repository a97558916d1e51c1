/*
 * case_check.h - a row with a known answer, asked on every backend at many
 * places of many batches
 */

#ifndef TESSERA_TESTS_CASE_CHECK_H
#define TESSERA_TESTS_CASE_CHECK_H

#include "batch_builder.h"

/* Log-probabilities as bits, one for each token of a row, by id. */
struct bits_list {
    const uint32_t *bits;
    size_t count;
};

#define BITS(...)                                                              \
    ((struct bits_list){(const uint32_t[]){__VA_ARGS__},                       \
                        sizeof((const uint32_t[]){__VA_ARGS__}) /              \
                            sizeof(uint32_t)})

/* The same token at each of 8 steps. */
#define ALWAYS(token)                                                          \
    IDS(token, token, token, token, token, token, token, token)

/* What a row must answer.  A list left out is not compared, nor is a sum of 0
 * where the status is not empty or invalid. */
struct answer {
    uint32_t status;

    /* Taken from 'kept' when that is given. */
    int32_t n_kept;
    struct id_list kept; /* ascending, at most TOP_N */

    uint64_t weight_sum;

    /* The tokens of consecutive steps from the row's own on. */
    struct id_list draws;

    struct bits_list processed;
    struct bits_list raw;
};

enum { STEPS = 8 };

/* Asks rows, all of one vocab and type, for STEPS steps: each alone; as this
 * batch and the batch reversed; all steps in one call; among rows of every
 * other kind, in every layout.  With TESSERA_QUICK_TESTS in the environment, at
 * a few of these places.  Fails the test at the first answer that is not
 * the row's own. */
void expect_answers(const char *file, int line, const struct test_row *rows,
                    const struct answer *answers, size_t count);

/* The answer of one row: EXPECT(row, .kept = IDS(0, 1), ...). */
#define EXPECT(row, ...)                                                       \
    expect_answers(__FILE__, __LINE__, &(row), &(struct answer){__VA_ARGS__}, 1)

/* The answer an empty or invalid row gives. */
#define EXPECT_NOTHING(row, row_status)                                        \
    EXPECT(row, .status = (row_status), .draws = ALWAYS(-1))

#define EXPECT_BATCH(rows, answers)                                            \
    expect_answers(__FILE__, __LINE__, rows, answers,                          \
                   sizeof(rows) / sizeof((rows)[0]))

/* Asks that a row answers what another does that has its edits already in the
 * logits: all but what is raw, which is of the logits as given. */
void expect_same(const char *file, int line, const struct test_row *row,
                 const struct test_row *edited);

#define EXPECT_SAME(row, edited)                                               \
    expect_same(__FILE__, __LINE__, &(row), &(edited))

enum { NEIGHBOURS = 8 };

/* Rows of every kind to stand beside a row of this vocab and type: greedy, a
 * filter each, masked, penalised, edited, empty, invalid.  Freed with
 * free_neighbours(). */
void make_neighbours(enum tessera_dtype type, int32_t vocab,
                     struct test_row neighbours[NEIGHBOURS]);
void free_neighbours(struct test_row neighbours[NEIGHBOURS]);

#endif
