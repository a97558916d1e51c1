/*
 * edits_check.c - tessera_params_check() on bias and bans
 */

#include "batch_builder.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VOCAB = 10 };

/* Checks the edits; NULL texts: they are legal. */
static void expect_edits(struct bias_list bias, struct id_list bans,
                         const char *what, const char *value, const char *range)
{
    const struct tessera_params params = TESSERA_PARAMS_INIT;
    const struct tessera_edits edits = {
        .vocab = VOCAB,
        .bias_count = (int32_t)bias.count,
        .ban_count = (int32_t)bans.count,
        .biases = bias.biases,
        .bans = bans.ids,
    };
    enum tessera_status status = tessera_params_check(&params, &edits);

    if (!what) {
        cr_assert(status == TESSERA_OK, "%s", tessera_last_error());
        return;
    }
    cr_assert(status == TESSERA_BAD_ARGUMENT, "%s of %s is taken", what, value);
    cr_assert(strstr(tessera_last_error(), what) &&
                  strstr(tessera_last_error(), value) &&
                  strstr(tessera_last_error(), range),
              "'%s' does not say %s, %s, %s", tessera_last_error(), what, value,
              range);
}

static const struct bias_list no_bias;
static const struct id_list no_bans;

Test(edits_check, takes_legal_edits)
{
    expect_edits(no_bias, no_bans, NULL, NULL, NULL);
    expect_edits(BIASES({0, -INFINITY}, {1, FLT_MAX}, {9, -FLT_MAX}),
                 IDS(9, 0, 0, 9), NULL, NULL, NULL);
}

Test(edits_check, refuses_bias_tokens_out_of_range)
{
    expect_edits(BIASES({-1, 0}), no_bans, "bias 0", "-1", "0 .. 9");
    expect_edits(BIASES({0, 0}, {10, 0}), no_bans, "bias 1", "10", "0 .. 9");
    expect_edits(BIASES({INT32_MIN, 0}), no_bans, "bias 0", "-2147483648",
                 "0 .. 9");
}

Test(edits_check, refuses_bias_tokens_that_do_not_ascend)
{
    expect_edits(BIASES({2, 1}, {1, 1}), no_bans, "bias 1", "1", "ascend");
    expect_edits(BIASES({0, 1}, {3, 1}, {3, 1}), no_bans, "bias 2", "3",
                 "each once");
}

Test(edits_check, refuses_bias_values_that_are_not_finite_or_minus_infinity)
{
    expect_edits(BIASES({1, 0}, {4, NAN}), no_bans, "bias 1 (token 4)", "nan",
                 "finite or -inf");
    expect_edits(BIASES({0, INFINITY}), no_bans, "bias 0 (token 0)", "inf",
                 "finite or -inf");
}

Test(edits_check, refuses_bans_out_of_range)
{
    expect_edits(no_bias, IDS(10), "ban 0", "10", "0 .. 9");
    expect_edits(no_bias, IDS(3, -1), "ban 1", "-1", "0 .. 9");
}

/* Params come first: the first value at fault is the one that is named. */
Test(edits_check, names_the_first_fault)
{
    static const int32_t ban = -1;
    struct tessera_params params = TESSERA_PARAMS_INIT;
    const struct tessera_edits edits = {
        .vocab = VOCAB, .ban_count = 1, .bans = &ban};

    params.min_p = 2;
    params.top_p = 3;
    cr_assert(tessera_params_check(&params, &edits) == TESSERA_BAD_ARGUMENT);
    cr_assert(strstr(tessera_last_error(), "top_p"), "'%s'",
              tessera_last_error());
}

static void expect_struct_refused(struct tessera_edits edits, const char *name,
                                  const char *value)
{
    const struct tessera_params params = TESSERA_PARAMS_INIT;

    cr_assert(tessera_params_check(&params, &edits) == TESSERA_BAD_ARGUMENT,
              "%s of %s is taken", name, value);
    cr_assert(strstr(tessera_last_error(), name) &&
                  strstr(tessera_last_error(), value),
              "'%s' does not say %s, %s", tessera_last_error(), name, value);
}

Test(edits_check, refuses_counts_and_vocabularies_out_of_range)
{
    struct tessera_edits edits = {.vocab = VOCAB};

    edits.vocab = 0;
    expect_struct_refused(edits, "vocab", "0");
    edits.vocab = TESSERA_MAX_VOCAB + 1;
    expect_struct_refused(edits, "vocab", "4194305");
    edits.vocab = VOCAB;
    edits.bias_count = -1;
    expect_struct_refused(edits, "bias_count", "-1");
    edits.bias_count = 1; /* of a list of NULL */
    expect_struct_refused(edits, "bias", "NULL");
    edits.bias_count = 0;
    edits.ban_count = -1;
    expect_struct_refused(edits, "ban_count", "-1");
    edits.ban_count = 1;
    expect_struct_refused(edits, "ban", "NULL");
}

Test(edits_check, refuses_params_of_null)
{
    const struct tessera_edits edits = {.vocab = VOCAB};

    cr_assert(tessera_params_check(NULL, &edits) == TESSERA_BAD_ARGUMENT);
    cr_assert(strstr(tessera_last_error(), "params is NULL"));
}
