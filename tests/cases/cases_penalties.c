/*
 * cases_penalties.c - public faults of penalties, bias and the history
 */

#include "case_check.h"

#include <criterion/criterion.h>

/* PEN-01, transformers#2302: dividing a negative logit raised it, so repeats
 * became more likely. */
Test(cases_penalties, repetition_scales_towards_unlikely_once_a_token)
{
    struct test_row row = ROW(-1, 1, 0, 0.75f);
    struct test_row edited = ROW(-2, 0.5f, 0, 0.75f);
    struct test_row raised = ROW(-0.5f, 2, 0, 0.75f);

    row.prompt = IDS(0, 1, 2, 2);
    row.params.repetition_penalty = 2;
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(3), .draws = ALWAYS(3));

    row.params.temperature = UNIT_TEMPERATURE;
    edited.params.temperature = UNIT_TEMPERATURE;
    raised.params.temperature = UNIT_TEMPERATURE;
    EXPECT(row, .kept = IDS(0, 1, 2, 3), .weight_sum = 2841303842816,
           .draws = IDS(2, 3, 3, 3, 1, 1, 1, 1));
    EXPECT_SAME(row, edited);
    row.params.repetition_penalty = 0.5f;
    EXPECT_SAME(row, raised);
}

/* PEN-02, sglang-omni#1360 and vllm-metal#69: penalties ran twice, or in
 * another order, or mixed prompt and output. */
Test(cases_penalties, all_three_penalties_on_one_row)
{
    struct test_row row = ROW(2, -1, 0.5f, 0);
    struct test_row edited[] = {ROW(1, -2.75f, -1, 0),
                                ROW(0.25f, -3.25f, -1, 0)};

    row.prompt = IDS(0, 1);
    row.generated = IDS(2, 2, 1);
    row.params.repetition_penalty = 2;
    row.params.frequency_penalty = 0.5f;
    row.params.presence_penalty = 0.25f;
    row.params.temperature = UNIT_TEMPERATURE;
    edited[0].params.temperature = UNIT_TEMPERATURE;
    edited[1].params.temperature = UNIT_TEMPERATURE;
    EXPECT(row, .kept = IDS(0, 1, 2, 3), .weight_sum = 2005867036672,
           .draws = IDS(2, 3, 3, 3, 0, 0, 0, 0));
    EXPECT_SAME(row, edited[0]);
    row.params.penalize_prompt = 1;
    EXPECT(row, .kept = IDS(0, 1, 2, 3), .weight_sum = 2583558619136,
           .draws = IDS(2, 3, 3, 3, 0, 0, 0, 0));
    EXPECT_SAME(row, edited[1]);
}

/* PEN-03, TensorRT-LLM#5623: presence and frequency counted the prompt;
 * elsewhere repetition missed it on the first step. */
Test(cases_penalties, what_the_prompt_counts_for)
{
    struct test_row row = ROW(0, 0, 0, 3, 0, 0, 0, 4);
    struct test_row by_repetition = ROW(0, 0, 0, 3, 0, 0, 0, 2);
    struct test_row by_count = ROW(0, 0, 0, 3, 0, 0, 0, 0);

    row.prompt = IDS(7);
    row.params.temperature = 0;
    row.params.repetition_penalty = 2;
    EXPECT(row, .kept = IDS(3), .draws = ALWAYS(3));
    row.params.temperature = 1;
    EXPECT_SAME(row, by_repetition);

    row.params.temperature = 0;
    row.params.repetition_penalty = 1;
    row.params.frequency_penalty = 2;
    row.params.presence_penalty = 2;
    EXPECT(row, .kept = IDS(7), .draws = ALWAYS(7));
    row.params.penalize_prompt = 1;
    EXPECT(row, .kept = IDS(3), .draws = ALWAYS(3));
    row.params.temperature = 1;
    EXPECT_SAME(row, by_count);
}

/* PEN-04, llama.cpp#7095 and llama-cpp-python#1295: the window was capped at
 * 64, or held the first entries instead of the last. */
Test(cases_penalties, the_window_is_the_last_entries_of_any_length)
{
    static const int32_t windows[] = {0, 64, 65, 70, 100, -1};
    static const int32_t tokens[] = {2, 1, 3, 3, 3, 3};
    int32_t history[70];
    struct test_row row = ROW(0, 4, 5, 3);

    for (int i = 0; i < 70; i++)
        history[i] = i < 6 ? 1 : 2;
    row.generated = (struct id_list){history, 70};
    row.params.presence_penalty = 10;
    row.params.temperature = 0;
    for (size_t i = 0; i < 6; i++) {
        row.params.penalty_window = windows[i];
        EXPECT(row, .n_kept = 1, .draws = ALWAYS(tokens[i]));
    }
}

/* Steps of a row whose history is what it drew so far. */
static void expect_sequence(struct test_row row, const int32_t *tokens,
                            size_t count)
{
    for (size_t drawn = 0; drawn < count; drawn++) {
        row.generated = (struct id_list){tokens, drawn};
        row.params.step = drawn;
        EXPECT(row, .n_kept = 1, .draws = ALWAYS(tokens[drawn]));
    }
}

/* PEN-05, llama.cpp#16920: sampling recorded the token and so did the caller;
 * counts doubled: 0,1,2,0,1,2,0,1. */
Test(cases_penalties, one_draw_is_one_entry_of_the_history)
{
    static const int32_t tokens[] = {0, 1, 0, 2, 1, 0, 2, 1};
    struct test_row row = ROW(1, 0.6f, 0.3f);

    row.params.frequency_penalty = 0.5f;
    row.params.temperature = 0;
    expect_sequence(row, tokens, 8);
}

/* PEN-06, sglang-omni#2148: the penalised value was stored back as bfloat16,
 * where both are 15.25 and id 0 wins. */
Test(cases_penalties, penalised_bfloat16_values_stay_binary32)
{
    struct test_row row = ROW_OF_BITS(TESSERA_BFLOAT16, 0x4180, 0x4174);

    row.params.repetition_penalty = 1.05f;
    row.generated = IDS(0);
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(1), .draws = ALWAYS(1));
}

/* PEN-07, ik_llama.cpp#2410: each new entry pushed out the last one, so the
 * history never held more than one token. */
Test(cases_penalties, a_window_that_slides)
{
    static const int32_t by_2[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const int32_t by_1[] = {0, 1, 0, 1, 0, 1, 0, 1, 0};
    struct test_row row = ROW(3, 2, 1, 0);

    row.params.presence_penalty = 3;
    row.params.temperature = 0;
    row.params.penalty_window = 2;
    expect_sequence(row, by_2, 9);
    row.params.penalty_window = 1;
    expect_sequence(row, by_1, 9);
}

/* PEN-08, TensorRT-LLM#2486: the order of bias and penalties differs between
 * projects, and shows where the sign changes: [-2.5, -3] and token 0 with
 * repetition first. */
Test(cases_penalties, bias_comes_before_repetition)
{
    struct test_row row = ROW(1, -3);
    struct test_row edited = ROW(-4, -3);

    row.bias = BIASES({0, -3});
    row.params.repetition_penalty = 2;
    row.generated = IDS(0);
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(1), .draws = ALWAYS(1));
    row.params.temperature = 1;
    EXPECT_SAME(row, edited);
}

/* PEN-09, vllm#27878 and vllm#26467: -1 stands for a token that is not known
 * yet; it was used as an index. */
Test(cases_penalties, placeholders_take_a_place_and_match_nothing)
{
    struct {
        struct id_list generated;
        int32_t window;
        int32_t token;
    } questions[] = {
        {IDS(5, -1), -1, 0},        {IDS(5, -1), 1, 5},
        {IDS(5, -1), 2, 0},         {IDS(5, 8), -1, 0},
        {IDS(-1, 5, -1, -1), 3, 0}, {IDS(-1, 5, -1, -1), 2, 5},
        {IDS(5, INT32_MAX), 1, 5},  {IDS(5, INT32_MIN), 1, 5},
    };
    struct test_row row = ROW(0, 0, 0, 0, 0, 2, 0, 0);

    row.params.presence_penalty = 5;
    row.params.temperature = 0;
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        row.generated = questions[i].generated;
        row.params.penalty_window = questions[i].window;
        EXPECT(row, .n_kept = 1, .draws = ALWAYS(questions[i].token));
    }
}
