/*
 * neighbours.c - rows of every kind, to stand beside a row under test
 */

#include "case_check.h"

#include "random_rows.h"

#include <math.h>
#include <stdlib.h>

/* Logits in steps of 1/8, which every type holds; -inf, NaN and ties among
 * them. */
static void *make_logits(enum tessera_dtype type, int32_t vocab,
                         struct random *random, float special)
{
    size_t element = type == TESSERA_FLOAT32 ? 4 : 2;
    char *logits = malloc((size_t)vocab * element);

    for (int32_t token = 0; token < vocab; token++) {
        float x = (float)random_below(random, 64) / 8 - 4;
        if (random_below(random, 8) == 0)
            x = special;
        store_float(logits, type, (size_t)token, x);
    }
    return logits;
}

void make_neighbours(enum tessera_dtype type, int32_t vocab,
                     struct test_row neighbours[NEIGHBOURS])
{
    static const int32_t history[] = {0, 0, 1, -1, 2, 0};
    static const int32_t bans[] = {0};
    static const struct tessera_bias biases[] = {{0, 2.5f}};
    struct random random = {(uint64_t)vocab};
    void *plain = make_logits(type, vocab, &random, -INFINITY);
    void *broken = make_logits(type, vocab, &random, NAN);
    void *none = make_logits(type, vocab, &random, 0);
    size_t words = ((size_t)vocab + 31) / 32;
    uint32_t *mask = malloc(words * sizeof(*mask));

    for (int32_t token = 0; token < vocab; token++)
        store_float(none, type, (size_t)token, -INFINITY);
    for (size_t word = 0; word < words; word++)
        mask[word] = 0x5555aaaa;

    for (size_t i = 0; i < NEIGHBOURS; i++) {
        neighbours[i] = row_of(type, vocab, plain);
        neighbours[i].params.seed = 1000 + i;
        neighbours[i].params.step = 3 * i;
    }
    neighbours[0].params.temperature = 0;
    neighbours[1].params.top_k = 3;
    neighbours[1].logits = broken;
    neighbours[2].params.top_p = 0.5f;
    neighbours[2].mask = mask;
    neighbours[3].logits = none;
    neighbours[4].params.repetition_penalty = 1.5f;
    neighbours[4].params.frequency_penalty = 0.5f;
    neighbours[4].params.presence_penalty = -0.25f;
    neighbours[4].params.penalty_window = 4;
    neighbours[4].prompt = (struct id_list){history, 3};
    neighbours[4].generated = (struct id_list){history, 6};
    neighbours[5].params.top_p = NAN;
    neighbours[6].params.min_p = 0.25f;
    neighbours[6].bias = (struct bias_list){biases, 1};
    neighbours[6].bans = (struct id_list){bans, 1};
    neighbours[7].params.temperature = 0.5f;
    neighbours[7].params.top_k = vocab;
}

void free_neighbours(struct test_row neighbours[NEIGHBOURS])
{
    free_const(neighbours[0].logits);
    free_const(neighbours[1].logits);
    free_const(neighbours[3].logits);
    free_const(neighbours[2].mask);
}
