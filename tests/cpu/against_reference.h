/*
 * against_reference.h - rows asked of the CPU backend, each way it can go about
 * them, and of the reference
 */

#ifndef TESSERA_TESTS_AGAINST_REFERENCE_H
#define TESSERA_TESTS_AGAINST_REFERENCE_H

#include "batch_builder.h"

/* Fails the test unless rows, all of one vocab and type, get the same answers
 * from the reference and from each variant of the CPU backend that runs here,
 * with each number of threads, with processed lists and with raw ones. */
void expect_reference(const char *file, int line, const struct test_row *rows,
                      size_t count, const struct layout *layout);

#define EXPECT_REFERENCE(rows, count, layout)                                  \
    expect_reference(__FILE__, __LINE__, rows, count, layout)

/* The names of the variants that run here; NULL past the last. */
const char *variant_name(size_t index);

#endif
