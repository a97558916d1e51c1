/*
 * long_rows.c - rows long enough that a backend selects instead of sorting, and
 * of the shapes that are worst for it, answer what the reference does
 *
 * A selection that keeps the best of what it has seen is at its worst where
 * logits ascend; one that narrows a range down, where they are equal, or where
 * more tokens share a logit than fit on chip.
 */

#include "random_rows.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than two parts of a row, and a last tile that is not full. */
enum { VOCAB = 20001 };

enum shape {
    EQUAL,
    ASCENDING,
    DESCENDING,
    NORMAL,
    NARROW,
    FIVE_VALUES,
    PEAK_OVER_TIES, /* what is behind the best 1024 weighs more than it seems */
    FEW_IN,         /* 1023 tokens are in */
    MANY_NANS,
    INFINITIES, /* +inf counts as the largest float, and stands behind it */
    SHAPES
};

static float logit_of(enum shape shape, struct random *random, int32_t token)
{
    float normal = -6;

    for (int i = 0; i < 12; i++)
        normal += random_between(random, 0, 1);
    switch (shape) {
    case EQUAL:
        return 1.5f;
    case ASCENDING:
        return (float)token / 1024;
    case DESCENDING:
        return (float)-token / 1024;
    case NARROW:
        return 1 + normal / 4096;
    case FIVE_VALUES:
        return (float)random_below(random, 5);
    case PEAK_OVER_TIES:
        return token == 12345 ? 12.2f : 0;
    case FEW_IN:
        return token % 19 == 3 && token / 19 < 1023 ? normal : -INFINITY;
    case MANY_NANS:
        return token % 3 == 0 ? NAN : normal;
    case INFINITIES:
        if (token % 700 == 1)
            return FLT_MAX;
        return token % 700 == 2 || token % 700 == 3 ? INFINITY : normal;
    case NORMAL:
    case SHAPES:
        break;
    }
    return 2 * normal;
}

/* What is asked of each shape: greedy, each filter at its edges, and mixes. */
static const struct tessera_params requests[] = {
#define REQUEST(temperature, top_k, top_p, min_p)                              \
    {                                                                          \
        1, 0, 0, -1, 0, temperature, top_k, top_p, min_p, 7, 0, 0              \
    }
    REQUEST(0, 0, 1, 0),          REQUEST(1, 0, 1, 0),
    REQUEST(1, 1, 1, 0),          REQUEST(1, 2, 1, 0),
    REQUEST(1, 40, 0.9f, 0.05f),  REQUEST(1, 1023, 1, 0),
    REQUEST(1, 1024, 0.99f, 0),   REQUEST(1, 1025, 1, 0),
    REQUEST(1, 1025, 0.5f, 0),    REQUEST(0.7f, 5000, 0.95f, 0.001f),
    REQUEST(1, 15000, 1, 0),      REQUEST(1, VOCAB - 1, 1, 0),
    REQUEST(1, VOCAB, 0.999f, 0), REQUEST(1, 0, 0, 0),
    REQUEST(1, 0, 0.5f, 0),       REQUEST(1, 0, 0.975f, 0),
    REQUEST(1, 0, 0.9999999f, 0), REQUEST(1e6f, 0, 0.3f, 0),
    REQUEST(0.02f, 0, 0.95f, 0),  REQUEST(0.02f, 5000, 1, 0),
    REQUEST(1, 0, 1, 0.1f),       REQUEST(3, 0, 1, 1e-6f),
    REQUEST(1, 0, 1, 1),
#undef REQUEST
};

enum { REQUESTS = sizeof(requests) / sizeof(requests[0]) };

/* Every request of one shape, in one batch. */
static void compare(enum shape shape, enum tessera_dtype type)
{
    static struct row_result expected[REQUESTS];
    static struct row_result results[REQUESTS];
    struct test_row rows[REQUESTS];
    struct random random = {(uint64_t)shape * 3 + type};
    void *logits = malloc(VOCAB * (type == TESSERA_FLOAT32 ? 4 : 2));
    bool first = true;

    cr_assert(logits);
    for (int32_t token = 0; token < VOCAB; token++)
        store_float(logits, type, (size_t)token,
                    logit_of(shape, &random, token));
    for (size_t i = 0; i < REQUESTS; i++) {
        rows[i] = row_of(type, VOCAB, logits);
        rows[i].params = requests[i];
    }
    for (EACH_BACKEND(backend)) {
        run_rows(backend, rows, REQUESTS, &(struct layout){.shared = true},
                 first ? expected : results);
        for (size_t i = 0; i < REQUESTS && !first; i++)
            cr_assert(memcmp(&results[i], &expected[i], sizeof(*results)) == 0,
                      "%s, shape %d, type %d, request %zu: token %d (%d), "
                      "n_kept %d (%d), weight_sum %llu (%llu), status %u (%u), "
                      "rank %d (%d)",
                      backend->name, (int)shape, (int)type, i, results[i].token,
                      expected[i].token, results[i].n_kept, expected[i].n_kept,
                      (unsigned long long)results[i].weight_sum,
                      (unsigned long long)expected[i].weight_sum,
                      results[i].status, expected[i].status, results[i].rank,
                      expected[i].rank);
        first = false;
    }
    free(logits);
}

Test(long_rows, whose_logits_are_equal)
{
    compare(EQUAL, TESSERA_FLOAT32);
    compare(EQUAL, TESSERA_BFLOAT16);
}

Test(long_rows, whose_logits_ascend)
{
    compare(ASCENDING, TESSERA_FLOAT32);
    compare(ASCENDING, TESSERA_FLOAT16);
}

Test(long_rows, whose_logits_descend)
{
    compare(DESCENDING, TESSERA_FLOAT32);
}

Test(long_rows, of_random_logits)
{
    compare(NORMAL, TESSERA_FLOAT32);
    compare(NORMAL, TESSERA_FLOAT16);
    compare(NORMAL, TESSERA_BFLOAT16);
}

Test(long_rows, whose_logits_lie_close)
{
    compare(NARROW, TESSERA_FLOAT32);
}

Test(long_rows, of_few_values)
{
    compare(FIVE_VALUES, TESSERA_FLOAT32);
    compare(FIVE_VALUES, TESSERA_BFLOAT16);
}

Test(long_rows, with_a_peak_over_equal_logits)
{
    compare(PEAK_OVER_TIES, TESSERA_FLOAT32);
}

Test(long_rows, with_few_tokens_that_are_in)
{
    compare(FEW_IN, TESSERA_FLOAT32);
}

Test(long_rows, with_many_nans)
{
    compare(MANY_NANS, TESSERA_FLOAT32);
}

/* Regress: a thread that had found the largest float took a +inf behind it. */
Test(long_rows, with_infinities)
{
    compare(INFINITIES, TESSERA_FLOAT32);
}
