/*
 * bench.c - tessera bench, and the floor that it measures against
 */

#include "../../host/cli/bench_floor.h"
#include "../../host/cli/bench_workload.h"
#include "../../host/cli/cli.h"
#include "../../host/cli/gauss.h"
#include "../../host/cli/npy.h"
#include "../../host/stages/stages.h"
#include "bench_run.h"
#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check_floor(enum tessera_dtype dtype, size_t vocab, double mean)
{
    struct gauss gauss = {7, mean, 5};
    float *x = malloc(vocab * sizeof(float));
    void *logits = malloc(vocab * sizeof(float));

    gauss_fill(gauss, dtype, vocab, logits);
    for (size_t token = 0; token < vocab; token++)
        x[token] = tessera_widen(logits, dtype, token);
    struct tessera_row row = row_of_logits(x, vocab);
    tessera_order(&row);
    tessera_weigh(&row, tessera_temperature(1.0f));

    cr_expect(
        eq(u64, floor_pass(logits, dtype, vocab, true), tessera_softmax(&row)),
        "dtype %d, vocab %zu, mean %g", dtype, vocab, mean);
    cr_expect(eq(u64, floor_pass(logits, dtype, vocab, false),
                 bits_of(row.ranked[0].x)),
              "dtype %d, vocab %zu, mean %g", dtype, vocab, mean);
    free(x);
    free(logits);
}

/* The floor is honest only if it does the work: its sum is the contract's.
 * 16-bit logits are in another order where all are negative. */
Test(bench, the_floor_sums_the_contracts_weights)
{
    static const size_t vocabs[] = {1,   2,   63,  64,   65,
                                    127, 128, 129, 1000, 32003};
    static const double means[] = {0, 90, -90};

    for (int dtype = 0; dtype < 3; dtype++)
        for (size_t i = 0; i < COUNT_OF(vocabs); i++)
            for (size_t j = 0; j < COUNT_OF(means); j++)
                check_floor((enum tessera_dtype)dtype, vocabs[i], means[j]);
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

Test(bench, every_measurement_is_an_object_with_the_same_keys)
{
    static const char *const keys[] = {
        "backend",  "plan",    "case",       "batch",  "vocab",
        "dtype",    "threads", "us_median",  "us_min", "us_max",
        "floor_us", "ratio",   "rows_per_s", "seed"};
    struct bench_outcome outcome =
        run_bench("--json --backend reference --vocab-size 500 "
                  "--batch 1,3 --dtype f32,bf16 --repeat 3");

    /* All cases but the recorded one, twice two times. */
    cr_assert(eq(int, outcome.status, CLI_OK));
    cr_assert(eq(sz, outcome.count, 12 * 2 * 2));
    for (size_t i = 0; i < outcome.count; i++) {
        const json_t *object = outcome.objects[i];

        cr_assert(object != NULL);
        cr_expect(eq(sz, json_object_size(object), COUNT_OF(keys)));
        for (size_t key = 0; key < COUNT_OF(keys); key++)
            cr_expect(json_object_get(object, keys[key]) != NULL, "%s",
                      keys[key]);
        double median = bench_number(object, "us_median");
        cr_expect(bench_number(object, "floor_us") > 0);
        cr_expect(bench_number(object, "us_min") > 0);
        cr_expect(bench_number(object, "us_min") <= median);
        cr_expect(median <= bench_number(object, "us_max"));
    }
    bench_outcome_free(&outcome);
}

Test(bench, threads_are_those_of_a_backend_that_has_them)
{
    static const struct {
        const char *backend;
        int threads;
    } backends[] = {{"reference", 1}, {"cpu", 3}};

    for (size_t i = 0; i < COUNT_OF(backends); i++) {
        char *arguments;

        cr_assert(asprintf(&arguments,
                           "--json --backend %s --case greedy --batch 4 "
                           "--vocab-size 900 --repeat 1 --threads 3",
                           backends[i].backend) >= 0);
        struct bench_outcome outcome = run_bench(arguments);
        cr_assert(eq(int, outcome.status, CLI_OK), "%s", outcome.said);
        cr_expect(eq(int, (int)bench_number(outcome.objects[0], "threads"),
                     backends[i].threads));
        bench_outcome_free(&outcome);
        free(arguments);
    }
}

/* The rows of the file are those of the batch, in the batch's type. */
Test(bench, saved_logits_are_those_that_are_measured)
{
    static const struct {
        const char *name;
        enum npy_type type;
    } dtypes[] = {{"f32", NPY_FLOAT32}, {"f16", NPY_FLOAT16}};
    char path[] = "/tmp/tessera-bench-XXXXXX";
    char message[NPY_MESSAGE_BYTES];

    close(mkstemp(path));
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        struct bench_shape shape = {3, 501, (enum tessera_dtype)i};
        struct workload workload;
        struct npy npy;
        char *arguments;

        cr_assert(asprintf(&arguments,
                           "--json --backend reference --case top_p95_peaked "
                           "--batch 3 --vocab-size 501 --repeat 1 --seed 9 "
                           "--dtype %s --save %s",
                           dtypes[i].name, path) >= 0);
        struct bench_outcome outcome = run_bench(arguments);
        cr_assert(eq(int, outcome.status, CLI_OK), "%s", outcome.said);
        cr_assert(eq(int, npy_read(path, &npy, message, sizeof(message)), 0),
                  "%s", message);
        cr_assert(eq(int, npy.type, dtypes[i].type));
        cr_assert(eq(sz, npy.rows, 3));
        cr_assert(eq(sz, npy.columns, 501));
        workload_create(&workload, bench_case_named("top_p95_peaked"), shape,
                        NULL, 9);
        cr_expect(memcmp(npy.data, workload_logits(&workload, 0),
                         3 * 501 * dtype_bytes(shape.dtype)) == 0);
        workload_free(&workload);
        npy_free(&npy);
        bench_outcome_free(&outcome);
        free(arguments);
    }
    unlink(path);
}

Test(bench, a_full_disk_is_named)
{
    struct bench_outcome outcome =
        run_bench("--backend reference --case greedy --batch 1 "
                  "--vocab-size 9000 --repeat 1 --save /dev/full");

    cr_expect(eq(int, outcome.status, CLI_FAILED));
    cr_expect(eq(str, outcome.said,
                 "tessera bench: /dev/full: it cannot be written\n"));
    bench_outcome_free(&outcome);
}

Test(bench, a_bad_argument_is_named_in_one_line)
{
    static const struct {
        const char *arguments;
        const char *line;
    } bad[] = {
        {"--batch 0", "--batch is 0; its range is 1 .. 65536"},
        {"--batch 1,,2", "--batch is '', which is not a whole number; its "
                         "range is 1 .. 65536"},
        {"--vocab-size 4194305",
         "--vocab-size is 4194305; its range is 1 .. 4194304"},
        {"--dtype f64", "--dtype is 'f64'; it may be f32, f16 or bf16"},
        {"--case real", "--case is 'real', which needs --logits"},
        {"--repeat 2001", "--repeat is 2001; its range is 1 .. 2000"},
        {"--threads 1025", "--threads is 1025; its range is 1 .. 1024"},
        {"--plan fast", "--plan is 'fast'; it may be auto, staged or fused"},
        {"--backend reference --plan staged",
         "--plan is staged; the backend cuda has plans, reference has none"},
        {"--seed -1", "--seed is -1; its range is 0 .. 2^64 - 1"},
        {"--backend gpu",
         "--backend is 'gpu'; it may be auto, reference, cpu or cuda[:N]"},
        {"--case greedy,top_p95 --batch 1 --vocab-size 9 --save x.npy",
         "--save is 'x.npy', a file for one case, batch, vocabulary and type; "
         "there are 2"},
        {"--case greedy --batch 1 --vocab-size 9 --repeat 1 --save /",
         "/: Is a directory"},
        {"greedy", "'greedy' is one argument too many"},
    };

    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct bench_outcome outcome = run_bench(bad[i].arguments);
        char *expected;

        cr_assert(asprintf(&expected, "tessera bench: %s\n", bad[i].line) >= 0);
        cr_expect(eq(int, outcome.status, CLI_USAGE), "%s", bad[i].arguments);
        cr_expect(eq(str, outcome.said, expected));
        bench_outcome_free(&outcome);
        free(expected);
    }
}
