/*
 * compare_answers.c - no difference between two answers goes unseen
 */

#include "../../host/cli/compare_answers.h"
#include "../../host/cli/cli.h"
#include "../../host/cli/engine.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#define ROWS 3
#define TOP_N 2

/* Row 'row' of both, filled alike. */
static void fill(struct answers *answers, int32_t row)
{
    answers->token[row] = 7;
    answers->logprob[row] = -0.5f;
    answers->raw_logprob[row] = -INFINITY;
    answers->rank[row] = 3;
    answers->n_kept[row] = 9;
    answers->weight_sum[row] = UINT64_C(1) << 61;
    answers->status[row] = TESSERA_ROW_OK;
    for (int32_t n = 0; n < TOP_N; n++) {
        answers->top_tokens[row * TOP_N + n] = n;
        answers->top_logprobs[row * TOP_N + n] = -1.0f - (float)n;
        answers->raw_top_tokens[row * TOP_N + n] = n + 5;
        answers->raw_top_logprobs[row * TOP_N + n] = -2.0f - (float)n;
    }
}

static struct answers expected, got;
static struct difference difference;

static void start(void)
{
    cr_assert(answers_create(&expected, ROWS, TOP_N) == CLI_OK);
    cr_assert(answers_create(&got, ROWS, TOP_N) == CLI_OK);
    fill(&expected, 1);
    fill(&got, 2);
}

static void end(void)
{
    answers_free(&expected);
    answers_free(&got);
}

TestSuite(compare_answers, .init = start, .fini = end);

static void expect_difference(const char *field, int32_t place)
{
    cr_assert(eq(int, answers_equal(&expected, 1, &got, 2, &difference), 0),
              "%s", field);
    cr_assert(eq(str, (char *)difference.field, (char *)field));
    cr_assert(eq(int, difference.place, place));
    cr_assert(ne(str, difference.expected, difference.got));
    fill(&got, 2);
    cr_assert(answers_equal(&expected, 1, &got, 2, &difference));
}

Test(compare_answers, equal_rows_are_equal_wherever_they_are)
{
    cr_assert(answers_equal(&expected, 1, &got, 2, &difference));
}

Test(compare_answers, every_field_counts)
{
    got.token[2] = 8;
    expect_difference("token", -1);
    got.logprob[2] = -0.25f;
    expect_difference("logprob", -1);
    got.raw_logprob[2] = 0;
    expect_difference("raw_logprob", -1);
    got.rank[2] = 4;
    expect_difference("rank", -1);
    got.n_kept[2] = 8;
    expect_difference("n_kept", -1);
    got.weight_sum[2]++;
    expect_difference("weight_sum", -1);
    got.status[2] = TESSERA_ROW_NAN;
    expect_difference("status", -1);
    got.top_tokens[2 * TOP_N + 1] = -1;
    expect_difference("top_tokens", 1);
    got.top_logprobs[2 * TOP_N] = 0;
    expect_difference("top_logprobs", 0);
    got.raw_top_tokens[2 * TOP_N] = 0;
    expect_difference("raw top_tokens", 0);
    got.raw_top_logprobs[2 * TOP_N + 1] = 0;
    expect_difference("raw top_logprobs", 1);
}

/* By name where they differ, each that a row may have. */
Test(compare_answers, statuses_have_names_of_their_own)
{
    static const uint8_t statuses[] = {
        TESSERA_ROW_OK,
        TESSERA_ROW_EMPTY,
        TESSERA_ROW_NAN,
        TESSERA_ROW_EMPTY | TESSERA_ROW_NAN,
        TESSERA_ROW_INVALID,
        TESSERA_ROW_MAXIMUM,
        TESSERA_ROW_NAN | TESSERA_ROW_MAXIMUM,
        TESSERA_ROW_EMPTY | TESSERA_ROW_INVALID, /* none has: "unknown" */
    };
    static const char *const names[] = {
        "ok",      "empty",   "nan",         "empty+nan",
        "invalid", "maximum", "nan+maximum", "unknown",
    };

    for (size_t i = 0; i < sizeof(statuses); i++)
        cr_assert(
            eq(str, (char *)row_status_name(statuses[i]), (char *)names[i]));
}

/* The last bit, and the sign of a zero: no tolerance. */
Test(compare_answers, floats_are_compared_by_their_bits)
{
    got.logprob[2] = nextafterf(-0.5f, 0);
    expect_difference("logprob", -1);
    expected.logprob[1] = 0.0f;
    got.logprob[2] = -0.0f;
    cr_assert(eq(int, answers_equal(&expected, 1, &got, 2, &difference), 0));
    expected.logprob[1] = NAN;
    got.logprob[2] = NAN;
    cr_assert(answers_equal(&expected, 1, &got, 2, &difference));
}

Test(compare_answers, a_copy_is_equal)
{
    answers_copy(&expected, 1, &got, 0);
    cr_assert(answers_equal(&expected, 1, &got, 0, &difference));
    cr_assert(answers_equal(&expected, 1, &got, 2, &difference));
}
