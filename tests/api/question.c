/*
 * question.c - rows that differ in no more than their draw are the same row
 */

#include "../../host/question.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* Two questions that differ in nothing but where their lists are. */
static void make_questions(struct tessera_question questions[2])
{
    static const float logits[4];
    static const uint32_t mask[1];
    static int32_t ids[2][3];
    static struct tessera_bias biases[2][3];

    for (int i = 0; i < 2; i++) {
        for (int entry = 0; entry < 3; entry++) {
            ids[i][entry] = entry;
            biases[i][entry] = (struct tessera_bias){entry, 1};
        }
        questions[i] = (struct tessera_question){
            .logits = logits,
            .params = TESSERA_PARAMS_INIT,
            .past = {ids[i], 3, ids[i], 3},
            .edits = {4, 3, 3, biases[i], ids[i]},
            .mask = mask,
        };
    }
}

/* After this change to the second question. */
#define EXPECT_SAME_ROW(same, change)                                          \
    do {                                                                       \
        struct tessera_question questions[2];                                  \
        struct tessera_question *second = &questions[1];                       \
        make_questions(questions);                                             \
        change;                                                                \
        cr_assert(                                                             \
            eq(int, tessera_question_same_row(&questions[0], second), same),   \
            #change);                                                          \
        cr_assert(                                                             \
            eq(int, tessera_question_same_row(second, &questions[0]), same),   \
            #change);                                                          \
    } while (0)

/* A row taken for the one before it would have that one's answer. */
Test(question, only_rows_that_differ_in_no_more_than_their_draw_are_the_same)
{
    static const float other_logits[4];
    static const uint32_t other_mask[1];
    static const int32_t other_ids[2][3] = {{3, 1, 2}, {0, 1, 3}};
    static const struct tessera_bias other_biases[] = {{0, 1}, {1, 1}, {2, 2}};

    EXPECT_SAME_ROW(1, (void)second);
    EXPECT_SAME_ROW(1, second->params.seed = 1);
    EXPECT_SAME_ROW(1, second->params.stream = 1);
    EXPECT_SAME_ROW(1, second->params.step = 1);
    EXPECT_SAME_ROW(1, second->maximum = 1);
    EXPECT_SAME_ROW(0, second->logits = other_logits);
    EXPECT_SAME_ROW(0, second->mask = other_mask);
    EXPECT_SAME_ROW(0, second->mask = NULL);
    EXPECT_SAME_ROW(0, second->params.repetition_penalty = 2);
    EXPECT_SAME_ROW(0, second->params.frequency_penalty = 2);
    EXPECT_SAME_ROW(0, second->params.presence_penalty = 2);
    EXPECT_SAME_ROW(0, second->params.penalty_window = 2);
    EXPECT_SAME_ROW(0, second->params.penalize_prompt = 2);
    EXPECT_SAME_ROW(0, second->params.temperature = 2);
    EXPECT_SAME_ROW(0, second->params.top_k = 2);
    EXPECT_SAME_ROW(0, second->params.top_p = 0);
    EXPECT_SAME_ROW(0, second->params.min_p = 1);
    EXPECT_SAME_ROW(0, second->past.prompt_length = 2);
    EXPECT_SAME_ROW(0, second->past.generated_length = 2);
    EXPECT_SAME_ROW(0, second->edits.bias_count = 2);
    EXPECT_SAME_ROW(0, second->edits.ban_count = 2);
    EXPECT_SAME_ROW(0, second->edits.biases = other_biases);
    for (int i = 0; i < 2; i++) {
        EXPECT_SAME_ROW(0, second->past.prompt = other_ids[i]);
        EXPECT_SAME_ROW(0, second->past.generated = other_ids[i]);
        EXPECT_SAME_ROW(0, second->edits.bans = other_ids[i]);
    }
}
