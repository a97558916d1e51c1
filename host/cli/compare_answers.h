/*
 * compare_answers.h - whether two answers are the same, bit for bit
 */

#ifndef TESSERA_CLI_COMPARE_ANSWERS_H
#define TESSERA_CLI_COMPARE_ANSWERS_H

#include "engine.h"

/* Where two answers differ, both as text: integers, and floats with the bits
 * that a decimal number may hide. */
struct difference {
    const char *field; /* the name in struct tessera_outputs */
    int32_t place;     /* in a list of top tokens; -1: no list */
    char expected[40];
    char got[40];
};

/* Copies row from_row, its lists included; both have the same top_n. */
void answers_copy(const struct answers *from, int32_t from_row,
                  struct answers *to, int32_t to_row);

/* Compares every field.  True: the rows are the same; if not, the first
 * difference is described. */
bool answers_equal(const struct answers *expected, int32_t expected_row,
                   const struct answers *got, int32_t got_row,
                   struct difference *difference);

#endif
