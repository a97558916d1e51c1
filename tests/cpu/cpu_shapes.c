/*
 * cpu_shapes.c - rows that lead the CPU backend down each of its paths
 *
 * Long rows of a given shape, asked in every way that matters to it; the
 * answers are the reference's.
 */

#include "against_reference.h"
#include "floats.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>

static const struct layout plain_layout;

/* What a row of a shape is asked. */
static const struct tessera_params requests[] = {
    /* repetition, frequency, presence, window, prompt, T, k, p, q, seed .. */
    {1, 0, 0, -1, 0, 0, 0, 1, 0, 1, 0, 0},
    {1, 0, 0, -1, 0, 1, 0, 1, 0, 2, 0, 0},
    {1, 0, 0, -1, 0, 0.2f, 0, 1, 0, 3, 0, 0},
    {1, 0, 0, -1, 0, 1, 0, 0.95f, 0, 4, 0, 0},
    {1, 0, 0, -1, 0, 5, 0, 0.5f, 0, 5, 0, 0},
    {1, 0, 0, -1, 0, 1, 0, 0.9f, 0.05f, 6, 0, 0},
    {1, 0, 0, -1, 0, 1, 0, 0.999f, 0.4f, 7, 0, 0},
    {1, 0, 0, -1, 0, 1, 0, 1, 0.05f, 8, 0, 0},
    {1, 0, 0, -1, 0, 1, 0, 1, 1, 9, 0, 0},
    {1, 0, 0, -1, 0, 1, 0, 0, 0, 10, 0, 0},
    {1, 0, 0, -1, 0, 1, 0, 0.9f, 0.9f, 10, 0, 0},
    {1, 0, 0, -1, 0, 1, 0, 0x1.fffffep-1f, 0, 10, 0, 0},
    {1, 0, 0, -1, 0, 1, 1, 1, 0, 11, 0, 0},
    {1, 0, 0, -1, 0, 1, 40, 0.95f, 0.05f, 12, 0, 0},
    {1, 0, 0, -1, 0, 2, 75, 1, 0, 13, 0, 0},
    {1, 0, 0, -1, 0, 2, 700, 0.7f, 0, 14, 0, 0},
    {1, 0, 0, -1, 0, 2, 9000, 0.9f, 0, 15, 0, 0},
    {1, 0, 0, -1, 0, 2, 20010, 1, 0.01f, 16, 0, 0},
};

enum { REQUESTS = sizeof(requests) / sizeof(requests[0]), VOCAB = 20011 };

static float normal(struct random *random)
{
    float sum = -6;

    for (int i = 0; i < 12; i++)
        sum += random_between(random, 0, 1);
    return sum;
}

/* Asks a row of float32 everything. */
static void ask(const float *logits, int32_t vocab, const uint32_t *mask)
{
    struct test_row rows[REQUESTS];

    for (size_t i = 0; i < REQUESTS; i++) {
        rows[i] = row_of(TESSERA_FLOAT32, vocab, logits);
        rows[i].params = requests[i];
        rows[i].mask = mask;
    }
    EXPECT_REFERENCE(rows, REQUESTS, &plain_layout);
}

/* Asks rows whose logits 'logit' gives. */
static void ask_shape(float (*logit)(struct random *random, int32_t token))
{
    static float logits[VOCAB];
    struct random random = {9};

    for (int32_t token = 0; token < VOCAB; token++)
        logits[token] = logit(&random, token);
    ask(logits, VOCAB, NULL);
}

static float flat(struct random *random, int32_t token)
{
    (void)token;
    return normal(random);
}

Test(cpu_shapes, near_flat_rows)
{
    ask_shape(flat);
}

static float wide(struct random *random, int32_t token)
{
    (void)token;
    return 3 * normal(random);
}

Test(cpu_shapes, rows_with_a_spread)
{
    ask_shape(wide);
}

static float peaked(struct random *random, int32_t token)
{
    return token % 4001 == 17 ? 20 + (float)(token % 5) : 3 * normal(random);
}

Test(cpu_shapes, rows_with_a_few_peaks)
{
    ask_shape(peaked);
}

static float tied(struct random *random, int32_t token)
{
    (void)token;
    return (float)random_below(random, 3);
}

Test(cpu_shapes, ties_everywhere)
{
    ask_shape(tied);
}

/* min-p cuts between the two, top-p further down. */
static float two_values(struct random *random, int32_t token)
{
    (void)token;
    return random_once_in(random, 2) ? 1.0f : 0.5f;
}

Test(cpu_shapes, two_values)
{
    ask_shape(two_values);
}

static float equal(struct random *random, int32_t token)
{
    (void)random;
    (void)token;
    return -3.5f;
}

Test(cpu_shapes, all_equal)
{
    ask_shape(equal);
}

/* -0 and +0 are one value, and so the ids decide. */
static float zeros(struct random *random, int32_t token)
{
    (void)token;
    return random_once_in(random, 2) ? 0.0f : -0.0f;
}

Test(cpu_shapes, zeros_of_both_signs)
{
    ask_shape(zeros);
}

/* The best tokens share blocks, so the peaks say little of them. */
static float sloping(struct random *random, int32_t token)
{
    (void)random;
    return (float)token / 1024;
}

static float falling(struct random *random, int32_t token)
{
    (void)random;
    return (float)-token / 1024;
}

Test(cpu_shapes, rows_that_rise_and_fall)
{
    ask_shape(sloping);
    ask_shape(falling);
}

/* The sample of every block misses what is heavy, or sees nothing else: block
 * 5 * i + ... of 16 tokens; so the guess of the cut is wrong, one way and the
 * other. */
static bool sampled(int32_t token)
{
    return token % 256 / 16 == token / 256 * 5 % 16;
}

static float unseen(struct random *random, int32_t token)
{
    return random_between(random, 0, 1) + (sampled(token) ? -3.0f : 0.0f);
}

static float overseen(struct random *random, int32_t token)
{
    return random_between(random, 0, 1) + (sampled(token) ? 0.0f : -3.0f);
}

Test(cpu_shapes, rows_that_mislead_a_sample)
{
    ask_shape(unseen);
    ask_shape(overseen);
}

/* Nothing is a number that x - m can be, or a bucket be wide. */
static float extreme(struct random *random, int32_t token)
{
    static const float values[] = {FLT_MAX,   -FLT_MAX, INFINITY, -INFINITY,
                                   0x1p-149f, NAN,      0x1p100f, -0x1p-149f};

    (void)token;
    return values[random_below(random, 8)];
}

static float subnormal(struct random *random, int32_t token)
{
    (void)token;
    return float_of_bits(random_below(random, 1 << 23) | random_below(random, 2)
                                                             << 31);
}

/* Neighbours among the floats: no two buckets of the same width in x. */
static float adjacent(struct random *random, int32_t token)
{
    (void)token;
    return float_of_bits(0x41200000 + random_below(random, 700));
}

Test(cpu_shapes, values_at_the_ends_of_the_range)
{
    ask_shape(extreme);
    ask_shape(subnormal);
    ask_shape(adjacent);
}

/* Orders of magnitude apart, so that one bucket holds nearly all. */
static float outlying(struct random *random, int32_t token)
{
    return token == 12345 ? -1e30f : normal(random) * 1e-3f;
}

Test(cpu_shapes, a_few_far_below_the_rest)
{
    ask_shape(outlying);
}

static float one_number(struct random *random, int32_t token)
{
    (void)random;
    return token == 7777 ? -4 : token % 2 == 0 ? NAN : -INFINITY;
}

static float no_number(struct random *random, int32_t token)
{
    (void)random;
    return token == 7777 ? NAN : -INFINITY;
}

static float few_numbers(struct random *random, int32_t token)
{
    (void)token;
    return random_once_in(random, 300) ? normal(random) : -INFINITY;
}

Test(cpu_shapes, one_token_left_none_left_and_a_few)
{
    ask_shape(one_number);
    ask_shape(no_number);
    ask_shape(few_numbers);
}

/* A share so near to 1 that a row of this length may leave out nothing. */
Test(cpu_shapes, longer_rows_with_hardly_a_tail)
{
    enum { LONG = 128256 };
    static float logits[LONG];
    struct random random = {8};
    struct test_row row = row_of(TESSERA_FLOAT32, LONG, logits);

    for (int32_t token = 0; token < LONG; token++)
        logits[token] = 3 * normal(&random);
    row.params.top_p = 0x1.fffffep-1f;
    EXPECT_REFERENCE(&row, 1, &plain_layout);
}

/* Words of 0, of 1 bit, of random bits; none allowed; the last one. */
Test(cpu_shapes, masks)
{
    enum { WORDS = (VOCAB + 31) / 32 };
    static float logits[VOCAB];
    static uint32_t mask[WORDS];
    struct random random = {3};

    for (int32_t token = 0; token < VOCAB; token++)
        logits[token] = token % 997 == 5 ? NAN : 2 * normal(&random);
    for (size_t word = 0; word < WORDS; word++)
        mask[word] = word / 8 % 3 == 0 ? 0
                     : word % 2 == 0   ? UINT32_C(1) << word % 32
                                       : (uint32_t)random_next(&random);
    ask(logits, VOCAB, mask);
    for (size_t word = 0; word < WORDS; word++)
        mask[word] = 0;
    ask(logits, VOCAB, mask);
    mask[WORDS - 1] = UINT32_C(1) << (VOCAB - 1) % 32;
    ask(logits, VOCAB, mask);
}

/* More entries than blocks, many of one token, placeholders among them. */
Test(cpu_shapes, long_histories_and_lists)
{
    enum { LENGTH = 3000 };
    static float logits[VOCAB];
    static int32_t ids[LENGTH];
    static struct tessera_bias biases[VOCAB / 7];
    struct test_row rows[REQUESTS];
    struct random random = {4};
    size_t count = 0;

    for (int32_t token = 0; token < VOCAB; token++)
        logits[token] = token % 997 == 5 ? INFINITY : 3 * normal(&random);
    for (size_t i = 0; i < LENGTH; i++)
        ids[i] = (int32_t)random_below(&random, VOCAB + 8) - 4;
    for (int32_t token = 0; count < VOCAB / 7; token += 7)
        biases[count++] = (struct tessera_bias){
            token, token % 11 == 0 ? -INFINITY : (float)(token % 5) - 2};
    for (size_t i = 0; i < REQUESTS; i++) {
        rows[i] = row_of(TESSERA_FLOAT32, VOCAB, logits);
        rows[i].params = requests[i];
        rows[i].params.repetition_penalty = 1.25f;
        rows[i].params.frequency_penalty = i % 2 == 0 ? 0.5f : -0.25f;
        rows[i].params.presence_penalty = 0.125f;
        rows[i].params.penalty_window = i % 3 == 0 ? -1 : (int32_t)(400 * i);
        rows[i].params.penalize_prompt = i % 4 == 0;
        rows[i].prompt = (struct id_list){ids, LENGTH / 2};
        rows[i].generated = (struct id_list){ids + LENGTH / 2, LENGTH / 2};
        if (i % 2 == 0)
            rows[i].bias = (struct bias_list){biases, count};
    }
    EXPECT_REFERENCE(rows, REQUESTS, &plain_layout);
}
