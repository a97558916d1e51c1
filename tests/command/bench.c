/*
 * bench.c - tessera bench, and the floor that it measures against
 */

#include "../../host/cli/bench_floor.h"
#include "../../host/cli/bench_options.h"
#include "../../host/cli/bench_workload.h"
#include "../../host/cli/cli.h"
#include "../../host/cli/gauss.h"
#include "../../host/stages/stages.h"
#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The floor is honest only if it does the work: its sum is the contract's. */
Test(bench, the_floor_sums_the_contracts_weights)
{
    static const size_t vocabs[] = {1, 2, 63, 64, 65, 1000, 32003};
    struct gauss gauss = {7, 0, 5};

    for (int dtype = 0; dtype < 3; dtype++)
        for (size_t i = 0; i < COUNT_OF(vocabs); i++) {
            size_t vocab = vocabs[i];
            float *x = malloc(vocab * sizeof(float));
            void *logits = malloc(vocab * sizeof(float));
            gauss_fill(gauss, (enum tessera_dtype)dtype, vocab, logits);
            for (size_t token = 0; token < vocab; token++)
                x[token] =
                    tessera_widen(logits, (enum tessera_dtype)dtype, token);
            struct tessera_row row = row_of_logits(x, vocab);
            tessera_order(&row);
            tessera_weigh(&row, tessera_temperature(1.0f));

            cr_expect(
                eq(u64,
                   floor_pass(logits, (enum tessera_dtype)dtype, vocab, true),
                   tessera_softmax(&row)),
                "dtype %d, vocab %zu", dtype, vocab);
            cr_expect(
                eq(u64,
                   floor_pass(logits, (enum tessera_dtype)dtype, vocab, false),
                   bits_of(row.ranked[0].x)),
                "dtype %d, vocab %zu", dtype, vocab);
            free(x);
            free(logits);
        }
}

Test(bench, peaks_stand_above_the_rest)
{
    struct bench_shape shape = {3, 5000, TESSERA_FLOAT32};
    struct workload workload;

    cr_assert(eq(int,
                 workload_create(&workload, bench_case_named("top_p95_peaked"),
                                 shape, NULL, 1),
                 CLI_OK));
    for (int32_t i = 0; i < shape.batch; i++) {
        struct tessera_row row =
            row_of_logits(workload_logits(&workload, i), 5000);
        tessera_order(&row);
        float rest = row.ranked[5].x;

        for (int peak = 0; peak < 5; peak++)
            cr_expect(eq(flt, row.ranked[peak].x, rest + 12.0f - (float)peak));
    }
    workload_free(&workload);
}

/* What it prints, a JSON object a line. */
static size_t run_bench(const char *arguments, json_t **objects, size_t most,
                        int *status)
{
    char *words = strdup(arguments);
    char *argv[32] = {"tessera bench"};
    int argc = 1;
    char *printed = NULL;
    size_t printed_size = 0;
    size_t count = 0;

    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    FILE *real = stdout;
    stdout = open_memstream(&printed, &printed_size);
    *status = cmd_bench(argc, argv);
    fclose(stdout);
    stdout = real;
    for (char *line = strtok(printed, "\n"); line && count < most;
         line = strtok(NULL, "\n"))
        objects[count++] = json_loads(line, 0, NULL);
    free(printed);
    free(words);
    return count;
}

Test(bench, every_measurement_is_an_object_with_the_same_keys)
{
    static const char *const keys[] = {
        "backend",  "plan",    "case",       "batch",  "vocab",
        "dtype",    "threads", "us_median",  "us_min", "us_max",
        "floor_us", "ratio",   "rows_per_s", "seed"};
    json_t *objects[100];
    int status;
    size_t count = run_bench("--json --backend reference --vocab-size 500 "
                             "--batch 1,3 --dtype f32,bf16 --repeat 3",
                             objects, COUNT_OF(objects), &status);

    /* All cases but the recorded one, twice two times. */
    cr_assert(eq(int, status, CLI_OK));
    cr_assert(eq(sz, count, 12 * 2 * 2));
    for (size_t i = 0; i < count; i++) {
        cr_assert(objects[i] != NULL);
        cr_expect(eq(sz, json_object_size(objects[i]), COUNT_OF(keys)));
        for (size_t key = 0; key < COUNT_OF(keys); key++)
            cr_expect(json_object_get(objects[i], keys[key]) != NULL, "%s",
                      keys[key]);
        double median =
            json_real_value(json_object_get(objects[i], "us_median"));
        double least = json_real_value(json_object_get(objects[i], "us_min"));
        double most = json_real_value(json_object_get(objects[i], "us_max"));
        double floor_us =
            json_real_value(json_object_get(objects[i], "floor_us"));
        cr_expect(floor_us > 0 && least > 0);
        cr_expect(least <= median && median <= most);
        json_decref(objects[i]);
    }
}

Test(bench, a_bad_argument_is_named_in_one_line)
{
    static const struct {
        const char *arguments;
        const char *line;
    } bad[] = {
        {"--batch 0", "--batch is '0'; its range is 1 .. 65536"},
        {"--batch 1,,2", "--batch is '', which is not a whole number; its "
                         "range is 1 .. 65536"},
        {"--vocab-size 4194305",
         "--vocab-size is '4194305'; its range is 1 .. 4194304"},
        {"--dtype f64", "--dtype is 'f64'; it may be f32, f16 or bf16"},
        {"--case real", "--case is 'real', which needs --logits"},
        {"--repeat 2001", "--repeat is '2001'; its range is 1 .. 2000"},
        {"--seed -1", "--seed is '-1'; its range is 0 .. 2^64 - 1"},
        {"greedy", "'greedy' is one argument too many"},
    };

    report_as("tessera bench");
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        char *said = NULL, *expected;
        size_t said_size = 0;
        int status;
        FILE *real = stderr;

        stderr = open_memstream(&said, &said_size);
        run_bench(bad[i].arguments, NULL, 0, &status);
        fclose(stderr);
        stderr = real;
        cr_assert(asprintf(&expected, "tessera bench: %s\n", bad[i].line) >= 0);
        cr_expect(eq(int, status, CLI_USAGE), "%s", bad[i].arguments);
        cr_expect(eq(str, said, expected));
        free(said);
        free(expected);
    }
}
