/*
 * command_show.c - the tessera command: what show and check answer
 */

#include "command_run.h"
#include "row_builder.h"

#include <tessera.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TestSuite(command_show, .init = command_start, .fini = command_end);

#define RECORDED                                                               \
    "'" SOURCE_DIR "/bench/data/smollm2.npy' --params '" SOURCE_DIR            \
    "/bench/data/smollm2.params.jsonl' --vocab '" SOURCE_DIR                   \
    "/bench/data/smollm2.vocab.jsonl' --temperature 0.9 --top-p 0.95 "         \
    "--repetition-penalty 1.1 --seed 3 "

Test(command_show, show_ends_where_sample_does)
{
    static const char *const keys[] = {"seed",       "step",   "token",
                                       "text",       "n_kept", "logprob",
                                       "weight_sum", "status"};
    const char *out = succeed("sample " RECORDED "--json");

    for (int row = 0; row < 24; row++) {
        json_t *sampled = object_of(out, (size_t)row);
        json_t *shown =
            object_of(succeed("show " RECORDED "--json --row %d", row), 0);

        for (size_t i = 0; i < COUNT_OF(keys); i++)
            cr_assert(json_equal(json_object_get(sampled, keys[i]),
                                 json_object_get(shown, keys[i])),
                      "row %d: %s", row, keys[i]);
        json_decref(sampled);
        json_decref(shown);
    }
}

/* With every token listed, the shown weights are the sum drawn from, and the
 * target falls into the token's own. */
Test(command_show, show_accounts_for_all_of_the_weight)
{
    make_two_rows();
    json_t *shown =
        object_of(succeed("show two.npy --row 0 --top-k 3 --json"), 0);
    const json_t *draw = json_object_get(shown, "draw");
    const json_t *entry;
    json_int_t sum = 0;
    size_t i;

    json_array_foreach(json_object_get(shown, "distribution"), i, entry) sum +=
        integer_in(entry, "weight");
    cr_assert(eq(sz, i, 3));
    cr_assert(eq(i64, sum, integer_in(shown, "weight_sum")));
    json_int_t target = integer_in(draw, "target");
    json_int_t below = integer_in(draw, "below");
    cr_assert(le(i64, below, target));
    cr_assert(lt(i64, target, below + integer_in(draw, "weight")));
}

Test(command_show, show_spreads_the_row_as_temperature_rises)
{
    make_two_rows();
    json_t *shown =
        object_of(succeed("show two.npy --row 0 --temperature 0.6 --json"), 0);
    const json_t *entry;
    double last_temperature = 0;
    double last_entropy = 0;
    size_t own = 0;
    size_t i;

    json_array_foreach(json_object_get(shown, "temperatures"), i, entry)
    {
        double temperature =
            json_real_value(json_object_get(entry, "temperature"));
        double entropy =
            json_real_value(json_object_get(entry, "entropy_bits"));

        own += json_typeof(json_object_get(entry, "own")) == JSON_TRUE;
        cr_assert(gt(dbl, temperature, last_temperature));
        cr_assert(gt(dbl, entropy, last_entropy));
        cr_assert(lt(dbl, entropy, 2.0));
        last_temperature = temperature;
        last_entropy = entropy;
    }
    cr_assert(eq(sz, i, 5));
    cr_assert(eq(sz, own, 1));
}

Test(command_show, show_fits_80_columns)
{
    const char *out =
        succeed("show " RECORDED "--row 4 --top-k 500 --min-p 0.02 --ban 5 "
                "--bias 253:2 --draws 3 --raw-logprobs");
    const char *tables = strstr(out, "\n\n"); /* the path is as long as it is */

    cr_assert(tables != NULL);
    expect_columns(tables, 80);
}

Test(command_show, show_explains_greedy_rows_too)
{
    make_two_rows();
    const char *out = succeed("show two.npy --row 1 --temperature 0");

    cr_assert(holds(out, "greedy"));
    json_t *shown =
        object_of(succeed("show two.npy --row 1 --temperature 0 --json"), 0);
    cr_assert(eq(int, integer_in(shown, "token"), 0));
    cr_assert(is_null(json_object_get(shown, "draw")));
}

Test(command_show, check_compares_every_row_and_says_so)
{
    const char *out = succeed("check " RECORDED "--draws 2");

    cr_assert(holds(out, "reference, in one batch: 48 passed, 0 failed\n"));
    cr_assert(holds(out, "reference, in reverse: 48 passed, 0 failed\n"));
    cr_assert(holds(out, "cpu, in one batch: 48 passed, 0 failed\n"));
    cr_assert(holds(out, "cpu, in reverse: 48 passed, 0 failed\n"));
    const char *last = strstr(out, "\n192 passed, 0 failed\n");
    if (tessera_device_count(TESSERA_DEVICE_CUDA) == 0)
        cr_assert(last != NULL && last[22] == '\0', "%s", out);
}
