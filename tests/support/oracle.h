/*
 * oracle.h - the contract again, written apart from the library
 */

#ifndef TESSERA_TESTS_ORACLE_H
#define TESSERA_TESTS_ORACLE_H

#include "batch_builder.h"

/* The random 64 bits of a row's step. */
uint64_t oracle_random(uint64_t seed, uint64_t stream, uint64_t step);

/* floor(random * sum / 2^64). */
uint64_t scaled(uint64_t random, uint64_t sum);

/* One logit, widened. */
float oracle_widen(const struct test_row *row, size_t token);

/* Whether every value of a row is in its range. */
bool oracle_valid(const struct test_row *row);

/* A token's logit x after mask, bias and penalties; -inf is out.  Sets *nan
 * where x is a NaN that mask and bans leave in. */
float oracle_edit(const struct test_row *row, int32_t token, float x,
                  bool *nan);

/* The largest logit of a row after its edits, as the contract has it; -inf if
 * no token is in. */
float oracle_maximum(const struct test_row *row);

/* The answer of a row in any batch, its list of top tokens processed or raw. */
struct row_result oracle_answer(const struct test_row *row, bool top_raw);

/* Fails the test unless that is the result; seed and place are for its message.
 */
void expect_oracle(const struct backend *backend, const struct test_row *row,
                   bool top_raw, const struct row_result *result, uint64_t seed,
                   size_t at);

/* The weight of each token that could be drawn, 0 for the rest: weights
 * [vocab].  Returns their sum; 0 for an empty or invalid row. */
uint64_t oracle_weights(const struct test_row *row, uint64_t *weights);

#endif
