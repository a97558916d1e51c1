/*
 * params_file.c - lines of a params file: what rows ask for
 */

#include "../../host/cli/params_file.h"
#include "../../host/cli/cli.h"
#include "outside.h"
#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define VOCAB 10

static struct row_lists lists = ROW_LISTS_INIT(VOCAB);
static char message[256];

static int read_into(const char *text, struct row_request *row)
{
    message[0] = '\0';
    return params_line_read(text, strlen(text), &lists, row, message,
                            sizeof(message));
}

/* Reads a line that must be good. */
static struct row_request row_of(const char *text)
{
    struct row_request row = {.params = TESSERA_PARAMS_INIT};

    cr_assert(read_into(text, &row) == CLI_OK, "%s: %s", text, message);
    cr_assert(eq(str, message, ""));
    return row;
}

static void expect_fault(const char *text, const char *phrase)
{
    struct row_request row = {.params = TESSERA_PARAMS_INIT};

    cr_assert(read_into(text, &row) == CLI_USAGE, "%s was read", text);
    cr_assert(strstr(message, phrase) != NULL, "%s\ngives '%s', not '%s'", text,
              message, phrase);
}

Test(params_file, an_empty_object_changes_nothing)
{
    struct row_request row = row_of("{}");
    struct tessera_params initial = TESSERA_PARAMS_INIT;

    /* In two parts: there is padding before the seed. */
    cr_assert(memcmp(&row.params, &initial,
                     offsetof(struct tessera_params, min_p) +
                         sizeof(initial.min_p)) == 0);
    cr_assert(memcmp(&row.params.seed, &initial.seed,
                     sizeof(initial) - offsetof(struct tessera_params, seed)) ==
              0);
    cr_assert(eq(sz, row.history.count, 0));
}

Test(params_file, sets_every_parameter_by_its_name)
{
    struct tessera_params params =
        row_of("{\"repetition_penalty\": 1.5, \"frequency_penalty\": -2,"
               " \"presence_penalty\": 0.25, \"penalty_window\": 7,"
               " \"penalize_prompt\": true, \"temperature\": 0.1,"
               " \"top_k\": -1, \"top_p\": 1, \"min_p\": 0.5,"
               " \"seed\": 9223372036854775807, \"stream\": 3,"
               " \"step\": 4611686018427387903}\n")
            .params;

    cr_assert(params.repetition_penalty == 1.5f);
    cr_assert(params.frequency_penalty == -2.0f);
    cr_assert(params.presence_penalty == 0.25f);
    cr_assert(eq(int, params.penalty_window, 7));
    cr_assert(params.penalize_prompt != 0);
    cr_assert(params.temperature == 0.1f);
    cr_assert(eq(int, params.top_k, -1));
    cr_assert(params.top_p == 1.0f);
    cr_assert(params.min_p == 0.5f);
    cr_assert(eq(u64, params.seed, INT64_MAX));
    cr_assert(eq(u64, params.stream, 3));
    cr_assert(eq(u64, params.step, (UINT64_C(1) << 62) - 1));
}

/* JSON readers keep 63 bits of a number. */
Test(params_file, takes_large_seeds_as_strings)
{
    struct tessera_params params =
        row_of("{\"seed\": \"0xffffffffffffffff\","
               " \"stream\": \"18446744073709551614\"}")
            .params;

    cr_assert(eq(u64, params.seed, UINT64_MAX));
    cr_assert(eq(u64, params.stream, UINT64_MAX - 1));
}

Test(params_file, overrides_only_what_it_names)
{
    struct row_request row = {.params = TESSERA_PARAMS_INIT};

    row.params.top_k = 5;
    row.params.penalize_prompt = 1;
    row.params.seed = 8;
    cr_assert(read_into("{\"seed\": 9, \"penalize_prompt\": false}", &row) ==
              CLI_OK);
    cr_assert(eq(int, row.params.top_k, 5));
    cr_assert(eq(int, row.params.penalize_prompt, 0));
    cr_assert(eq(u64, row.params.seed, 9));
}

/* Entries outside the vocabulary are placeholders, and legal. */
Test(params_file, reads_the_history_and_its_prompt)
{
    struct row_request row =
        row_of("{\"history\": [3, -1, 99, 2147483647], \"prompt_tokens\": 2}");
    const int32_t *tokens = row_tokens(&lists, row.history);

    cr_assert(eq(sz, row.history.count, 4));
    cr_assert(eq(i64, row.prompt_tokens, 2));
    cr_assert(eq(int, tokens[0], 3));
    cr_assert(eq(int, tokens[1], -1));
    cr_assert(eq(int, tokens[3], INT32_MAX));
}

static void expect_biases(const char *text)
{
    struct row_request row = row_of(text);
    const struct tessera_bias *biases = row_biases(&lists, row.biases);

    cr_assert(eq(sz, row.biases.count, 3));
    cr_assert(eq(int, biases[0].token, 1));
    cr_assert(biases[0].value == -INFINITY);
    cr_assert(eq(int, biases[1].token, 4));
    cr_assert(biases[1].value == 0.5f);
    cr_assert(eq(int, biases[2].token, 9));
    cr_assert(biases[2].value == -3.0f);
}

Test(params_file, sorts_biases_of_either_form)
{
    expect_biases("{\"bias\": {\"9\": -3, \"1\": \"-inf\", \"4\": 0.5}}");
    expect_biases("{\"bias\": [[9, -3], [1, \"-inf\"], [4, 0.5]]}");
}

Test(params_file, takes_a_ban_twice)
{
    struct row_request row = row_of("{\"ban\": [2, 9, 2]}");

    cr_assert(eq(sz, row.bans.count, 3));
}

Test(params_file, names_values_out_of_their_range)
{
    expect_fault("{\"top_p\": 1.5}", "\"top_p\" is 1.5; its range is [0, 1]");
    expect_fault("{\"top_p\": 1.00000001}", "\"top_p\" is 1.00000001;");
    expect_fault("{\"min_p\": -0.5}", "\"min_p\" is -0.5;");
    expect_fault("{\"top_k\": -2}", "\"top_k\" is -2;");
    expect_fault("{\"top_k\": 2147483648}", "\"top_k\" is 2147483648;");
    expect_fault("{\"temperature\": 1e7}", "its range is [0, 1e6]");
    expect_fault("{\"temperature\": -1e-45}", "\"temperature\" is -1e-45;");
    expect_fault("{\"repetition_penalty\": 0}", "(0, 1e6]");
    expect_fault("{\"step\": 4611686018427387904}", "2^62 - 1");
    expect_fault("{\"seed\": -1}", "\"seed\" is -1;");
    expect_fault("{\"seed\": \"18446744073709551616\"}", "2^64 - 1");
}

/* Above 0, and no binary32 but 0. */
Test(params_file, checks_the_range_after_rounding_too)
{
    expect_fault("{\"repetition_penalty\": 1e-50}", "(0, 1e6]");
}

Test(params_file, names_numbers_that_are_none_to_a_reader)
{
    expect_fault("{\"top_k\": 99999999999999999999}",
                 "\"top_k\" is out of its range, -1 .. 2147483647: ");
    expect_fault("{\"top_p\" : 1e400}",
                 "\"top_p\" is out of its range, [0, 1]");
    expect_fault("{\"seed\": 18446744073709551615}",
                 "\"seed\" is above 2^63 - 1: such a number is written as a "
                 "string, \"seed\": \"0x..\"; its range is 0 .. 2^64 - 1");
    expect_fault("{\"seed\": -99999999999999999999}",
                 "\"seed\" is out of its range, 0 .. 2^64 - 1: ");
    expect_fault("{\"history\": [99999999999999999999]}", "too big integer");
    expect_fault("{\"top_p\": NaN}", "malformed JSON");
    expect_fault("{\"top_p\": -Infinity}", "malformed JSON");
}

Test(params_file, names_values_of_another_type)
{
    expect_fault("{\"top_p\": \"0.5\"}",
                 "\"top_p\" is \"0.5\"; its range is [0, 1], a number");
    expect_fault("{\"top_p\": null}", "\"top_p\" is null;");
    expect_fault("{\"top_p\": true}", "\"top_p\" is true;");
    expect_fault(
        "{\"top_k\": 5.0}",
        "\"top_k\" is 5.0; its range is -1 .. 2147483647, a whole number");
    expect_fault("{\"seed\": 1.5}",
                 "\"seed\" is 1.5; its range is 0 .. 2^64 - 1, a whole number");
    expect_fault("{\"seed\": \"0x\"}", "\"seed\" is \"0x\";");
    expect_fault("{\"penalize_prompt\": \"yes\"}", "true or false");
    expect_fault("{\"prompt_tokens\": -1}", "\"prompt_tokens\" is -1;");
    expect_fault("{\"history\": 5}", "\"history\" is 5;");
    expect_fault("{\"history\": [1, \"a\"]}", "\"history\" entry 1 is \"a\";");
    expect_fault("{\"history\": [2147483648]}", "entry 0 is 2147483648;");
    expect_fault("{\"ban\": {}}", "\"ban\" is {};");
    expect_fault("{\"bias\": 3}", "\"bias\" is 3;");
    expect_fault("{\"bias\": [[1]]}", "\"bias\" entry 0 is [1];");
    expect_fault("{\"bias\": [[1, 2, 3]]}", "entry 0 is [1,2,3];");
    expect_fault("{\"bias\": {\"1\": \"inf\"}}", "of token 1 is \"inf\";");
    expect_fault("{\"bias\": {\"1\": null}}", "of token 1 is null;");
    expect_fault("{\"bias\": {\"1\": 1e39}}", "of token 1 is 1e39;");
}

Test(params_file, names_ids_out_of_the_vocabulary)
{
    expect_fault("{\"ban\": [1, 10]}", "entry 1 is 10; its range is 0 .. 9");
    expect_fault("{\"ban\": [-1]}", "0 .. 9");
    expect_fault("{\"bias\": {\"10\": 1}}", "\"10\"; its range is 0 .. 9");
    expect_fault("{\"bias\": {\"-1\": 1}}", "0 .. 9");
    expect_fault("{\"bias\": {\"1e0\": 1}}", "\"1e0\"");
    expect_fault("{\"bias\": [[10, 1]]}", "token 10; its range is 0 .. 9");
}

Test(params_file, refuses_a_bias_for_one_token_twice)
{
    expect_fault("{\"bias\": [[1, 2], [3, 1], [1, 2]]}", "token 1 twice");
    expect_fault("{\"bias\": {\"1\": 2, \"01\": 2}}", "token 1 twice");
}

Test(params_file, refuses_a_prompt_longer_than_the_history)
{
    expect_fault("{\"history\": [1, 2], \"prompt_tokens\": 3}", "0 .. 2");
    expect_fault("{\"prompt_tokens\": 1}", "0 .. 0");
}

Test(params_file, names_unknown_keys_and_the_one_meant)
{
    expect_fault("{\"topp\": 1}", "did you mean \"top_p\"");
    expect_fault("{\"bans\": []}", "did you mean \"ban\"");
    expect_fault("{\"top-p\": 1}", "did you mean \"top_p\"");
    expect_fault("{\"mirostat\": 1}", "no key \"mirostat\"");
}

Test(params_file, refuses_what_is_no_object)
{
    expect_fault("[]", "not a JSON object");
    expect_fault("\n", "the line is empty");
    expect_fault("{", "malformed JSON");
    expect_fault("{} {}", "malformed JSON");
    expect_fault("{\"top_k\": 1, \"top_k\": 2}", "duplicate");
    expect_fault("{\"top_k\": 1,}", "malformed JSON");
    expect_fault("5", "malformed JSON");
}

/* No text may lead out of the line or the message. */
Test(params_file, survives_every_beginning_of_a_line)
{
    static const char text[] =
        "{\"top_k\": 99999999999999999999, \"bias\": {\"1\": -1e999}, "
        "\"history\": [1, \"\\u0000\", {\"a:b\": 5}], \"seed\": \"0x5\"}";

    for (size_t length = 0; length < sizeof(text); length++) {
        struct row_request row = {.params = TESSERA_PARAMS_INIT};
        char *line = malloc(length + (length == 0));

        memcpy(line, text, length);
        message[0] = '\0';
        cr_assert(params_line_read(line, length, &lists, &row, message,
                                   sizeof(message)) == CLI_USAGE);
        cr_assert(message[0] != '\0');
        free(line);
    }
}

Test(params_file, reads_the_recorded_rows)
{
    const char *path = SOURCE_DIR "/bench/data/smollm2.params.jsonl";
    struct row_lists recorded = ROW_LISTS_INIT(49152);
    struct row_request rows[24];

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        rows[i] = (struct row_request){.params = TESSERA_PARAMS_INIT};
    cr_assert(params_file_read(path, &recorded, rows, COUNT_OF(rows)) ==
              CLI_OK);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cr_assert(rows[i].prompt_tokens > 0);
        cr_assert(
            le(i64, rows[i].prompt_tokens, (int64_t)rows[i].history.count));
    }
    row_lists_free(&recorded);
}
