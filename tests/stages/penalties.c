/*
 * penalties.c - what occurred in the window is penalised
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

static const int32_t prompt[] = {0, 1};
static const int32_t generated[] = {2, 2, 1};

static struct tessera_params params_of(float repetition, float frequency,
                                       float presence)
{
    struct tessera_params params = TESSERA_PARAMS_INIT;

    params.repetition_penalty = repetition;
    params.frequency_penalty = frequency;
    params.presence_penalty = presence;
    return params;
}

static struct tessera_row penalised(struct tessera_row row,
                                    struct tessera_params params)
{
    struct tessera_past past = {prompt, 2, generated, 3};

    tessera_penalties(&row, &past, &params);
    return row;
}

static void check(struct tessera_row row, float x0, float x1, float x2,
                  float x3)
{
    float expected[4] = {x0, x1, x2, x3};

    for (int token = 0; token < 4; token++)
        cr_assert(bits_of(row.x[token]) == bits_of(expected[token]),
                  "token %d is %a, not %a", token, (double)row.x[token],
                  (double)expected[token]);
}

Test(penalties, repetition_divides_what_is_positive_and_multiplies_the_rest)
{
    check(penalised(LOGITS(2, -1, 0.5f, 0), params_of(2, 0, 0)), 1, -2, 0.25f,
          0);
}

Test(penalties, frequency_counts_what_was_generated)
{
    check(penalised(LOGITS(0, 0, 0, 0), params_of(1, 0.5f, 0)), 0, -0.5f, -1,
          0);
}

Test(penalties, presence_counts_once)
{
    check(penalised(LOGITS(0, 0, 0, 0), params_of(1, 0, 0.25f)), 0, -0.25f,
          -0.25f, 0);
}

Test(penalties, prompt_tokens_count_when_asked)
{
    struct tessera_params params = params_of(1, 0.5f, 0.25f);

    params.penalize_prompt = 1;
    check(penalised(LOGITS(0, 0, 0, 0), params), -0.75f, -1.25f, -1.25f, 0);
}

Test(penalties, a_window_holds_the_last_entries_across_both_segments)
{
    struct tessera_params params = params_of(1, 1, 0);

    params.penalize_prompt = 1;
    params.penalty_window = 4; /* prompt 1, then all that was generated */
    check(penalised(LOGITS(0, 0, 0, 0), params), 0, -2, -2, 0);
    params.penalty_window = 2;
    check(penalised(LOGITS(0, 0, 0, 0), params), 0, -1, -1, 0);
}

Test(penalties, a_window_of_none_sees_nothing)
{
    struct tessera_params params = params_of(2, 1, 1);

    params.penalty_window = 0;
    check(penalised(LOGITS(2, -1, 0.5f, 0), params), 2, -1, 0.5f, 0);
}

Test(penalties, any_negative_window_sees_all)
{
    struct tessera_params params = params_of(2, 0, 0);

    params.penalty_window = INT32_MIN;
    check(penalised(LOGITS(2, -1, 0.5f, 0), params), 1, -2, 0.25f, 0);
}

/* The tokens before and after a segment belong to other rows. */
Test(penalties, a_window_longer_than_the_history_sees_no_more_than_that)
{
    static const int32_t table[] = {3, 3, 3, 0, 3, 3, 1, 3};
    struct tessera_past past = {table + 3, 1, table + 6, 1};
    struct tessera_params params = params_of(2, 1, 0);
    struct tessera_row row = LOGITS(4, 4, 4, 4);

    params.penalize_prompt = 1;
    params.penalty_window = 4;
    tessera_penalties(&row, &past, &params);
    check(row, 1, 1, 4, 4);
}

/* None of these rounds away: they are as far from off as a float can be. */
Test(penalties, are_on_at_the_floats_next_to_off)
{
    float tiny = 0x1p-149f;

    check(penalised(LOGITS(1, -1, 1, 1), params_of(0x1.000002p+0f, 0, 0)),
          0x1.fffffcp-1f, -0x1.000002p+0f, 0x1.fffffcp-1f, 1);
    check(penalised(LOGITS(1, -1, 1, 1), params_of(0x1.fffffep-1f, 0, 0)),
          0x1.000002p+0f, -0x1.fffffep-1f, 0x1.000002p+0f, 1);
    check(penalised(LOGITS(0, 0, 0, 0), params_of(1, tiny, 0)), 0, -tiny,
          -2 * tiny, 0);
    check(penalised(LOGITS(0, 0, 0, 0), params_of(1, 0, tiny)), 0, -tiny, -tiny,
          0);
}

/* The least positive logit is positive, and is divided. */
Test(penalties, repetition_divides_the_least_positive_logit)
{
    float tiny = 0x1p-149f;

    check(penalised(LOGITS(tiny, -tiny, 0, -0.0f), params_of(4, 0, 0)), 0,
          -4 * tiny, 0, -0.0f);
}

/* Two roundings: 0.1f * 3 rounds before it is subtracted. */
Test(penalties, frequency_rounds_the_product_and_then_the_difference)
{
    static const int32_t thrice[] = {0, 0, 0};
    struct tessera_past past = {NULL, 0, thrice, 3};
    struct tessera_params params = params_of(1, 0.1f, 0);
    struct tessera_row row = LOGITS(0.3f);
    volatile float product = 0.1f * 3.0f;

    tessera_penalties(&row, &past, &params);
    cr_assert(bits_of(row.x[0]) == bits_of(0.3f - product));
    cr_assert(bits_of(row.x[0]) != bits_of(fmaf(-0.1f, 3.0f, 0.3f)));
}

Test(penalties, a_token_that_is_out_stays_out)
{
    check(penalised(LOGITS(1, -INFINITY, -INFINITY, 0),
                    params_of(2, -1e6f, -1e6f)),
          0.5f, -INFINITY, -INFINITY, 0);
}
