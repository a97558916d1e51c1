/*
 * random_rows.h - numbers and rows from a fixed seed, for tests
 */

#ifndef TESSERA_TESTS_RANDOM_ROWS_H
#define TESSERA_TESTS_RANDOM_ROWS_H

#include "batch_builder.h"

/* splitmix64, from any state. */
struct random {
    uint64_t state;
};

uint64_t random_next(struct random *random);

/* In [0, limit). */
uint32_t random_below(struct random *random, uint32_t limit);

/* True once in 'times'. */
bool random_once_in(struct random *random, uint32_t times);

/* In [least, most). */
float random_between(struct random *random, float least, float most);

/* Writes logits[token]; the value must be one of the type's. */
void store_float(void *logits, enum tessera_dtype type, size_t token,
                 float value);

/* Ids of tokens; with 'placeholders', one in ten is outside the vocabulary.
 * Freed by free_const(list.ids). */
struct id_list random_ids(struct random *random, int32_t vocab, uint32_t count,
                          bool placeholders);

/* A row with random logits (normal, ties, peaks, -inf, NaN and +inf, extreme
 * values) and a random request: any mix of filters, penalties with a history,
 * bias, bans and a mask.  Values fit every type.  Freed by random_row_free().
 */
struct test_row random_row(struct random *random, enum tessera_dtype type,
                           int32_t vocab);
void random_row_free(struct test_row *row);

/* Lets the call say of each row its largest logit, another number, or nothing;
 * by chance. */
void give_maxima(struct random *random, struct test_row *rows, size_t count);

/* Frees what is const to those who read a row. */
void free_const(const void *memory);

#endif
