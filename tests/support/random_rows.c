/*
 * random_rows.c - numbers and rows from a fixed seed, for tests
 */

#include "random_rows.h"

#include "floats.h"
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

uint32_t random_below(struct random *random, uint32_t limit)
{
    return (uint32_t)((random_next(random) >> 32) * limit >> 32);
}

bool random_once_in(struct random *random, uint32_t times)
{
    return random_below(random, times) == 0;
}

float random_between(struct random *random, float least, float most)
{
    return least +
           (most - least) * ((float)(random_next(random) >> 40) * 0x1p-24f);
}

void store_float(void *logits, enum tessera_dtype type, size_t token,
                 float value)
{
    if (type == TESSERA_FLOAT32)
        ((float *)logits)[token] = value;
    else if (type == TESSERA_FLOAT16)
        ((uint16_t *)logits)[token] = float16_of(value);
    else
        ((uint16_t *)logits)[token] = bfloat16_of(value);
}

/* 8 significant bits, as bfloat16 has; an exponent of binary16's normals. */
static float fit(float value)
{
    int exponent;
    float fraction = frexpf(value, &exponent);

    if (fabsf(value) < 0x1p-14f)
        return 0;
    return ldexpf(rintf(ldexpf(fraction, 8)), exponent - 8);
}

static float random_normal(struct random *random)
{
    float sum = -6;

    for (int i = 0; i < 12; i++)
        sum += random_between(random, 0, 1);
    return sum;
}

/* How logits are spread decides which paths run: few or many kept, ties,
 * weights of 0. */
enum shape { NORMAL, WIDE, NARROW, TIES, PEAK, EQUAL, SHAPES };

static float random_logit(struct random *random, enum shape shape)
{
    switch (shape) {
    case WIDE:
        return fit(20 * random_normal(random));
    case NARROW:
        return fit(random_normal(random) / 16);
    case TIES:
        return (float)random_below(random, 5) / 2 - 1;
    case PEAK:
        return random_once_in(random, 100) ? 12 : fit(random_normal(random));
    case EQUAL:
        return -2;
    case NORMAL:
    case SHAPES:
        break;
    }
    return fit(3 * random_normal(random));
}

static const float special_logits[] = {-INFINITY, -INFINITY, NAN,   INFINITY,
                                       0.0f,      -0.0f,     65280, -65280};

static void *random_logits(struct random *random, enum tessera_dtype type,
                           int32_t vocab)
{
    size_t element = type == TESSERA_FLOAT32 ? 4 : 2;
    void *logits = malloc((size_t)vocab * element);
    enum shape shape = (enum shape)random_below(random, SHAPES);

    /* One value of the list in one row of three, -inf most often. */
    bool special = random_once_in(random, 3);
    uint32_t rarity = 2 + random_below(random, 200);
    uint32_t kinds = random_once_in(random, 2) ? 2 : 8;
    for (int32_t token = 0; token < vocab; token++) {
        float x = random_logit(random, shape);

        if (special && random_once_in(random, rarity))
            x = special_logits[random_below(random, kinds)];
        store_float(logits, type, (size_t)token, x);
    }
    return logits;
}

struct id_list random_ids(struct random *random, int32_t vocab, uint32_t count,
                          bool placeholders)
{
    int32_t *ids = malloc(count * sizeof(*ids));

    for (uint32_t i = 0; i < count; i++) {
        ids[i] = (int32_t)random_below(random, (uint32_t)vocab);
        if (placeholders && random_once_in(random, 10))
            ids[i] = random_once_in(random, 2) ? -1 : vocab;
    }
    return (struct id_list){ids, count};
}

/* Ascending, each once. */
static struct bias_list random_biases(struct random *random, int32_t vocab)
{
    struct tessera_bias *biases = malloc((size_t)vocab * sizeof(*biases));
    uint32_t rarity = 1 + random_below(random, (uint32_t)vocab);
    size_t count = 0;

    for (int32_t token = 0; token < vocab; token++) {
        if (!random_once_in(random, rarity))
            continue;
        float value = random_once_in(random, 6) ? -INFINITY
                                                : random_between(random, -4, 4);
        biases[count++] = (struct tessera_bias){token, value};
    }
    return (struct bias_list){biases, count};
}

static void random_request(struct random *random, struct tessera_params *params,
                           int32_t vocab)
{
    static const float temperatures[] = {0, 1e-5f, 0.1f, 0.7f, 1, 2, 50, 1e6f};
    static const float shares[] = {0, 1e-6f, 0.1f, 0.5f, 0.9f, 0.99f};

    if (random_once_in(random, 2))
        params->temperature = temperatures[random_below(random, 8)];
    if (random_once_in(random, 3))
        params->top_k = (int32_t)random_below(random, (uint32_t)vocab + 2) - 1;
    else if (random_once_in(random, 3))
        params->top_k = (int32_t)random_below(random, 8);
    if (random_once_in(random, 2))
        params->top_p = shares[random_below(random, 6)];
    else if (random_once_in(random, 2))
        params->top_p = random_between(random, 0, 1);
    if (random_once_in(random, 4))
        params->min_p = shares[random_below(random, 6)] / 4;
    params->seed = random_next(random);
    params->stream = random_once_in(random, 2) ? 0 : random_next(random);
    params->step = random_next(random) >> (2 + random_below(random, 60));
}

static void random_penalties(struct random *random, struct test_row *row)
{
    struct tessera_params *params = &row->params;

    if (random_once_in(random, 2))
        params->repetition_penalty = random_between(random, 0.5f, 2);
    if (random_once_in(random, 2))
        params->frequency_penalty = random_between(random, -1, 1);
    if (random_once_in(random, 2))
        params->presence_penalty = random_between(random, -2, 2);
    if (random_once_in(random, 2))
        params->penalty_window = (int32_t)random_below(random, 40);
    params->penalize_prompt = (int32_t)random_below(random, 3);
    row->prompt =
        random_ids(random, row->vocab, random_below(random, 40), true);
    row->generated =
        random_ids(random, row->vocab, random_below(random, 40), true);
}

struct test_row random_row(struct random *random, enum tessera_dtype type,
                           int32_t vocab)
{
    struct test_row row =
        row_of(type, vocab, random_logits(random, type, vocab));

    random_request(random, &row.params, vocab);
    if (random_once_in(random, 3))
        random_penalties(random, &row);
    if (random_once_in(random, 4))
        row.bias = random_biases(random, vocab);
    if (random_once_in(random, 4))
        row.bans = random_ids(random, vocab, random_below(random, 20), false);
    if (random_once_in(random, 4)) {
        size_t words = ((size_t)vocab + 31) / 32;
        uint32_t *mask = malloc(words * sizeof(*mask));

        for (size_t word = 0; word < words; word++)
            mask[word] = (uint32_t)(random_next(random) | random_next(random));
        row.mask = mask;
    }
    return row;
}

void give_maxima(struct random *random, struct test_row *rows, size_t count)
{
    static const float wrong[] = {-INFINITY, INFINITY, 0, -1e30f, 1e-45f};

    for (size_t i = 0; i < count; i++) {
        float right = oracle_maximum(&rows[i]);

        switch (random_below(random, 6)) {
        case 0:
            rows[i].maximum = NAN;
            break;
        case 1:
            rows[i].maximum = wrong[random_below(random, 5)];
            break;
        case 2:
            rows[i].maximum = nextafterf(right, INFINITY);
            break;
        case 3:
            rows[i].maximum = nextafterf(right, -INFINITY);
            break;
        default:
            rows[i].maximum = right;
        }
    }
}

void free_const(const void *memory)
{
    free((void *)(uintptr_t)memory);
}

void random_row_free(struct test_row *row)
{
    free_const(row->logits);
    free_const(row->prompt.ids);
    free_const(row->generated.ids);
    free_const(row->bias.biases);
    free_const(row->bans.ids);
    free_const(row->mask);
}
