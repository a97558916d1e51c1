/*
 * cpu_random.c - the CPU backend answers what the reference does, by chance
 */

#include "against_reference.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <stdlib.h>

static const enum tessera_dtype types[] = {TESSERA_FLOAT32, TESSERA_FLOAT16,
                                           TESSERA_BFLOAT16};

static void ask_random(uint64_t seed, enum tessera_dtype type, int32_t vocab,
                       size_t count)
{
    struct random random = {seed};
    struct test_row *rows = calloc(count, sizeof(*rows));
    struct layout layout = {
        .logits_gap = random_below(&random, 4),
        .logits_shift = random_below(&random, 16),
    };

    for (size_t i = 0; i < count; i++)
        rows[i] = random_row(&random, type, vocab);
    if (vocab < 100000) /* the oracle is slow */
        give_maxima(&random, rows, count);
    EXPECT_REFERENCE(rows, count, &layout);
    for (size_t i = 0; i < count; i++)
        random_row_free(&rows[i]);
    free(rows);
}

/* Around a block of 256, and shorter than a vector. */
Test(cpu_random, short_rows_are_answered_as_by_the_reference)
{
    static const int32_t vocabs[] = {1,   2,   7,   31,  32,  33,  63,
                                     127, 255, 256, 257, 300, 511, 513};

    for (uint64_t seed = 0; seed < 3 * 14; seed++)
        ask_random(seed, types[seed % 3], vocabs[seed / 3], 40);
}

/* As many rows as keep 7 threads busy; the guess of top-p is made from 4096
 * tokens on. */
Test(cpu_random, long_rows_are_answered_as_by_the_reference)
{
    static const int32_t vocabs[] = {1024, 3999, 4096, 5003, 20011};

    for (uint64_t seed = 100; seed < 100 + 3 * 5; seed++)
        ask_random(seed, types[seed % 3], vocabs[(seed - 100) / 3], 26);
}

Test(cpu_random, the_longest_rows_of_models_are_answered_as_by_the_reference)
{
    ask_random(200, TESSERA_FLOAT32, 128256, 8);
    ask_random(201, TESSERA_FLOAT16, 151936, 8);
    ask_random(202, TESSERA_BFLOAT16, 262144, 8);
}
