/*
 * command.c - the tessera command: its help, and what sample answers
 */

#include "command_run.h"
#include "row_builder.h"

#include <tessera.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

TestSuite(command, .init = command_start, .fini = command_end);

Test(command, version_names_the_contract_and_every_backend)
{
    const char *out = succeed("--version");
    char line[64];

    snprintf(line, sizeof(line), "tessera %s\ncontract %d\n", tessera_version(),
             (int)tessera_contract_version());
    cr_assert(strncmp(out, line, strlen(line)) == 0);
    cr_assert(holds(out, "\nreference"));
    cr_assert(holds(out, "\ncpu"));
    cr_assert(holds(out, "\ncuda"));
}

Test(command, help_fits_80_columns)
{
    expect_columns(succeed("--help"), 80);
    expect_columns(succeed("sample --help"), 80);
    expect_columns(succeed("show -h"), 80);
    expect_columns(succeed("check --help"), 80);
    expect_columns(succeed("bench --help"), 80);
}

Test(command, help_gives_each_parameter_its_range)
{
    const char *help = succeed("sample --help");
    const struct tessera_parameter *parameter;

    for (size_t i = 0; (parameter = tessera_parameter_info(i)) != NULL; i++) {
        char option[40] = "--";

        for (size_t n = 0; parameter->name[n]; n++)
            option[2 + n] =
                parameter->name[n] == '_' ? '-' : parameter->name[n];
        const char *line = strstr(help, option);
        cr_assert(line != NULL, "no %s", option);
        if (parameter->type != TESSERA_PARAMETER_BOOL)
            cr_assert(holds(line, parameter->range));
        cr_assert(holds(line, parameter->summary));
    }
}

Test(command, sample_prints_the_seed_and_a_line_a_row)
{
    make_two_rows();
    const char *out = succeed("sample two.npy --temperature 0 --seed 0x2a");

    cr_assert(strncmp(out, "seed 42, stream 0, step 0,", 26) == 0, "%s", out);
    cr_assert(eq(sz, count_lines(out), 5));
    cr_assert(holds(out, "\n  0        3                0        1  ok\n"
                         "  1        0                0        1  ok\n"),
              "%s", out);
}

/* The options reach the sampler: the same questions, asked through the API. */
Test(command, sample_answers_what_the_library_answers)
{
    struct tessera_params params[2] = {TESSERA_PARAMS_INIT,
                                       TESSERA_PARAMS_INIT};
    const int32_t history[] = {3, 1, 1};
    const int64_t prompt_offsets[] = {0, 0}, prompt_lengths[] = {1, 1};
    const int64_t offsets[] = {1, 1}, lengths[] = {2, 2};
    const struct tessera_bias biases[] = {
        {0, 0.25f}, {3, -1}, {0, 0.25f}, {3, -1}};
    const int64_t bias_offsets[] = {0, 2, 4};
    const int32_t bans[] = {2, 2};
    const int64_t ban_offsets[] = {0, 1, 2};
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_batch batch = TESSERA_BATCH_INIT;
    struct tessera_outputs outputs = TESSERA_OUTPUTS_INIT;
    struct tessera_sampler *sampler;
    void *workspace;
    size_t workspace_bytes;
    int32_t token[2], n_kept[2];
    uint64_t weight_sum[2];
    float logprob[2];

    for (int i = 0; i < 2; i++) {
        params[i].temperature = 0.75f;
        params[i].top_p = 0.9f;
        params[i].min_p = 0.01f;
        params[i].top_k = 3;
        params[i].repetition_penalty = 1.25f;
        params[i].frequency_penalty = 0.5f;
        params[i].presence_penalty = -0.5f;
        params[i].penalty_window = 2;
        params[i].penalize_prompt = 1;
        params[i].seed = UINT64_MAX;
        params[i].stream = 5;
        params[i].step = 9;
    }
    config.vocab = 4;
    cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
    cr_assert(tessera_workspace_create(sampler, 2, &workspace,
                                       &workspace_bytes) == TESSERA_OK);
    batch.rows = 2;
    batch.logits = two_rows;
    batch.logits_stride = 4;
    batch.logits_rows = 2;
    batch.params = params;
    batch.prompt =
        (struct tessera_history){history, prompt_offsets, prompt_lengths};
    batch.generated = (struct tessera_history){history, offsets, lengths};
    batch.biases = biases;
    batch.bias_offsets = bias_offsets;
    batch.bans = bans;
    batch.ban_offsets = ban_offsets;
    outputs.token = token;
    outputs.n_kept = n_kept;
    outputs.weight_sum = weight_sum;
    outputs.logprob = logprob;
    cr_assert(tessera_sample(sampler, workspace, workspace_bytes, &batch,
                             &outputs, NULL) == TESSERA_OK);

    make_two_rows();
    make_text("history.txt", "3 1\n\t1\n");
    const char *out = succeed(
        "sample two.npy --temperature 0.75 --top-p 0.9 --min-p 0.01 --top-k 3 "
        "--repetition-penalty 1.25 --frequency-penalty 0.5 "
        "--presence-penalty=-0.5 --penalty-window 2 --penalize-prompt "
        "--seed 18446744073709551615 --stream 5 --step 9 --history history.txt "
        "--prompt-tokens 1 --bias 3:-1 --bias 0:0.25 --ban 2 --json");
    for (size_t i = 0; i < 2; i++) {
        json_t *object = object_of(out, i);

        cr_assert(eq(int, integer_in(object, "row"), (int)i));
        cr_assert(eq(int, integer_in(object, "token"), token[i]));
        cr_assert(eq(int, integer_in(object, "n_kept"), n_kept[i]));
        cr_assert(
            eq(i64, integer_in(object, "weight_sum"), (int64_t)weight_sum[i]));
        double processed = json_real_value(json_object_get(object, "logprob"));
        cr_assert(eq(flt, (float)processed, logprob[i]));
        cr_assert(
            eq(str, (char *)string_in(object, "seed"), "0xffffffffffffffff"));
    }
    tessera_workspace_free(sampler, workspace);
    tessera_free(sampler);
}

Test(command, draws_are_consecutive_steps)
{
    make_two_rows();
    const char *together =
        succeed("sample two.npy --draws 70 --step 3 --temperature 3 --json");

    cr_assert(eq(sz, count_lines(together), 140));
    for (size_t i = 0; i < 140; i += 23) {
        json_t *one = object_of(together, i);
        const char *alone =
            succeed("sample two.npy --step %d --temperature 3 --json",
                    (int)(3 + i % 70));

        cr_assert(json_equal(one, object_of(alone, i / 70)), "line %zu", i);
    }
}

Test(command, threads_never_change_an_answer)
{
    make_two_rows();
    const char *one =
        succeed("sample two.npy --draws 70 --backend cpu --threads 1");
    const char *three =
        succeed("sample two.npy --draws 70 --backend cpu --threads 3");

    cr_assert(strcmp(one, three) == 0, "%s", three);
}

Test(command, params_file_overrides_the_options_of_its_row)
{
    make_two_rows();
    make_text("rows.jsonl", "{}\n{\"top_k\": 1, \"seed\": 6, \"ban\": [0]}\n");
    const char *out = succeed("sample two.npy --params rows.jsonl --seed 5 "
                              "--ban 3 --json");
    json_t *first = object_of(out, 0);
    json_t *second = object_of(out, 1);

    cr_assert(eq(int, integer_in(first, "seed"), 5));
    cr_assert(eq(int, integer_in(first, "n_kept"), 3));
    cr_assert(eq(int, integer_in(second, "seed"), 6));
    cr_assert(eq(int, integer_in(second, "n_kept"), 1));
    cr_assert(eq(int, integer_in(second, "token"), 1));
}

Test(command, masks_are_of_each_row_or_of_all)
{
    const uint32_t masks[] = {0x2, 0xfffffff4};

    make_two_rows();
    make_npy("masks.npy", "<u4", "(2, 1)", masks, sizeof(masks));
    make_npy("mask.npy", "<u4", "(1,)", masks, sizeof(masks[0]));
    const char *out = succeed("sample two.npy --temperature 0 --json "
                              "--allow-mask masks.npy");
    cr_assert(eq(int, integer_in(object_of(out, 0), "token"), 1));
    cr_assert(eq(int, integer_in(object_of(out, 1), "token"), 2));
    out =
        succeed("sample two.npy --temperature 0 --json --allow-mask mask.npy");
    cr_assert(eq(int, integer_in(object_of(out, 0), "token"), 1));
    cr_assert(eq(int, integer_in(object_of(out, 1), "token"), 1));

    /* A row by itself, as show and check ask, has its own too. */
    cr_assert(holds(succeed("show two.npy --row 1 --json --allow-mask "
                            "masks.npy --temperature 0"),
                    "\"token\":2"));
    cr_assert(
        holds(succeed("check two.npy --allow-mask masks.npy"), ", 0 failed"));
}

Test(command, reads_16_bit_logits)
{
    const uint16_t half[] = {0x3c00, 0x4000, 0x3800};  /* 1, 2, 0.5 */
    const uint16_t brain[] = {0x3f80, 0x3f00, 0x4000}; /* 1, 0.5, 2 */

    make_npy("half.npy", "<f2", "(3,)", half, sizeof(half));
    make_npy("brain.npy", "<u2", "(1, 3)", brain, sizeof(brain));
    const char *out = succeed("sample half.npy --temperature 0 --json");
    cr_assert(eq(int, integer_in(object_of(out, 0), "token"), 1));
    out = succeed("sample brain.npy --bf16 --temperature 0 --json");
    cr_assert(eq(int, integer_in(object_of(out, 0), "token"), 2));
}

Test(command, says_the_status_of_rows_in_words)
{
    const float logits[] = {1, NAN, -INFINITY, -INFINITY, NAN, -INFINITY};

    make_npy("rows.npy", "<f4", "(3, 2)", logits, sizeof(logits));
    const char *out = succeed("sample rows.npy --json --top-logprobs 2");
    json_t *empty = object_of(out, 1);

    cr_assert(eq(str, (char *)string_in(object_of(out, 0), "status"), "nan"));
    cr_assert(eq(str, (char *)string_in(empty, "status"), "empty"));
    cr_assert(
        eq(str, (char *)string_in(object_of(out, 2), "status"), "empty+nan"));
    cr_assert(eq(int, integer_in(empty, "token"), -1));
    cr_assert(is_null(json_object_get(empty, "logprob")));
    cr_assert(
        eq(sz, json_array_size(json_object_get(empty, "top_logprobs")), 0));
    cr_assert(holds(succeed("sample rows.npy"), "-inf        0  empty"));
    cr_assert(holds(succeed("show rows.npy --row 1"), "empty"));
}

Test(command, lists_top_tokens_processed_and_raw)
{
    make_two_rows();
    json_t *processed = object_of(
        succeed("sample two.npy --top-k 2 --top-logprobs 3 --json"), 0);
    json_t *raw = object_of(succeed("sample two.npy --top-k 2 --top-logprobs 3 "
                                    "--raw-logprobs --json"),
                            0);

    cr_assert(
        eq(sz, json_array_size(json_object_get(processed, "top_logprobs")), 2));
    const json_t *list = json_object_get(raw, "raw_top_logprobs");
    cr_assert(eq(sz, json_array_size(list), 3));
    cr_assert(eq(int, integer_in(json_array_get(list, 2), "token"), 1));
    cr_assert(
        eq(int, json_typeof(json_object_get(raw, "raw_logprob")), JSON_REAL));
    cr_assert(integer_in(raw, "rank") >= 1);
}

/* Texts may be fewer than tokens, and hold what a terminal would obey. */
Test(command, shows_texts_of_tokens_without_control_characters)
{
    make_two_rows();
    make_text("vocab.jsonl", "\"\\u001b[2J\\n\\u009b\"\n\"b\"\n");
    const char *out =
        succeed("sample two.npy --temperature 0 --vocab vocab.jsonl");

    cr_assert(holds(out, "ok         \"\\u001b[2J\\n\\u009b\"\n"), "%s", out);
    out = succeed("sample two.npy --temperature 0 --vocab vocab.jsonl --json");
    cr_assert(json_object_get(object_of(out, 0), "text") == NULL);
    cr_assert(eq(str, (char *)string_in(object_of(out, 1), "text"),
                 "\x1b[2J\n\xc2\x9b"));
}
