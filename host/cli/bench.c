/*
 * bench.c - tessera bench: throughput, beside the floor of this machine
 */

#include "bench_floor.h"
#include "bench_measure.h"
#include "bench_options.h"
#include "cli.h"
#include "json_output.h"
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct effort full_effort = {0, 3e5, 5};
static const struct effort quick_effort = {0, 1e5, 3};

/* A run: what to measure, on which backend. */
struct bench {
    const struct bench_options *options;
    struct list cases; /* const struct bench_case * */
    int name_width;    /* of the longest */
    enum tessera_device device;
    int32_t ordinal;

    /* Of the file; columns 0: there is none. */
    struct npy recorded;
    enum tessera_dtype recorded_dtype;
};

static const int32_t default_batches[] = {1, 8};
static const int32_t default_vocabs[] = {32000, 128256};
static const int32_t quick_vocabs[] = {128256};
static const enum tessera_dtype default_dtypes[] = {TESSERA_FLOAT32};

/* A list that was given, or the default. */
struct choices {
    const void *items;
    size_t count;
};

#define DEFAULT(array) ((struct choices){array, sizeof(array) / sizeof(*array)})

static struct choices given_or(const struct list *given,
                               struct choices otherwise)
{
    return given->count > 0 ? (struct choices){given->items, given->count}
                            : otherwise;
}

/* Four digits or more are enough without a fraction. */
static int decimals(double us)
{
    return us < 1000 ? 1 : 0;
}

static void print_heading(const struct bench *bench)
{
    printf("\n%s, 1 thread\n%-*s %5s %7s %-5s %9s %16s %8s %7s %9s\n",
           backend_name(bench->device), bench->name_width, "case", "batch",
           "vocab", "dtype", "us_median", "us_min..us_max", "floor_us", "ratio",
           "rows/s");
}

static void print_row(const struct bench *bench,
                      const struct workload *workload,
                      const struct measurement *measured)
{
    const struct bench_shape *shape = &workload->shape;
    const struct spread *us = &measured->sampler;
    char range[64];

    snprintf(range, sizeof(range), "%.*f..%.*f", decimals(us->least), us->least,
             decimals(us->most), us->most);
    printf("%-*s %5" PRId32 " %7" PRId32 " %-5s %9.*f %16s %8.1f %7.1f %9.0f\n",
           bench->name_width, workload->what->name, shape->batch, shape->vocab,
           dtype_name(shape->dtype), decimals(us->median), us->median, range,
           measured->floor, us->median / measured->floor,
           shape->batch * 1e6 / us->median);
    fflush(stdout);
}

static int print_object(const struct bench *bench,
                        const struct workload *workload,
                        const struct measurement *measured)
{
    const struct bench_shape *shape = &workload->shape;
    const struct spread *us = &measured->sampler;

    int status = json_print(json_pack(
        "{s:s, s:n, s:s, s:I, s:I, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:f, "
        "s:o}",
        "backend", backend_name(bench->device), "plan", "case",
        workload->what->name, "batch", (json_int_t)shape->batch, "vocab",
        (json_int_t)shape->vocab, "dtype", dtype_name(shape->dtype), "threads",
        1, "us_median", us->median, "us_min", us->least, "us_max", us->most,
        "floor_us", measured->floor, "ratio", us->median / measured->floor,
        "rows_per_s", shape->batch * 1e6 / us->median, "seed",
        json_of_word(bench->options->seed)));
    fflush(stdout);
    return status;
}

static int measure_shape(const struct bench *bench,
                         const struct bench_case *what,
                         struct bench_shape shape)
{
    const struct bench_options *options = bench->options;
    const struct bench_recording recording = {bench->recorded.data,
                                              bench->recorded.rows};
    struct effort effort = options->quick ? quick_effort : full_effort;
    struct workload workload;
    struct measurement measured;

    effort.repeats = options->repeats;
    int status =
        workload_create(&workload, what, shape, &recording, options->seed);
    if (status == CLI_OK)
        status = measure(bench->device, bench->ordinal, &workload, effort,
                         &measured);
    if (status == CLI_OK) {
        if (options->json)
            status = print_object(bench, &workload, &measured);
        else
            print_row(bench, &workload, &measured);
    }
    workload_free(&workload);
    return status;
}

/* The case in every type and size; a recording has its own. */
static int measure_case(const struct bench *bench,
                        const struct bench_case *what)
{
    const struct bench_options *options = bench->options;
    const enum tessera_dtype *recorded_dtype = &bench->recorded_dtype;
    const int32_t recorded_vocab = (int32_t)bench->recorded.columns;
    struct choices batches =
        given_or(&options->batches, DEFAULT(default_batches));
    struct choices vocabs =
        given_or(&options->vocabs, options->quick ? DEFAULT(quick_vocabs)
                                                  : DEFAULT(default_vocabs));
    struct choices dtypes = given_or(&options->dtypes, DEFAULT(default_dtypes));
    int status = CLI_OK;

    if (what->recorded) {
        vocabs = (struct choices){&recorded_vocab, 1};
        dtypes = (struct choices){recorded_dtype, 1};
    }
    for (size_t i = 0; i < dtypes.count; i++)
        for (size_t j = 0; j < vocabs.count; j++)
            for (size_t k = 0; k < batches.count; k++) {
                const struct bench_shape shape = {
                    .batch = ((const int32_t *)batches.items)[k],
                    .vocab = ((const int32_t *)vocabs.items)[j],
                    .dtype = ((const enum tessera_dtype *)dtypes.items)[i],
                };

                if (status == CLI_OK && !ferror(stdout))
                    status = measure_shape(bench, what, shape);
            }
    return status;
}

static int measure_backend(const struct bench *bench)
{
    const struct bench_case **cases = bench->cases.items;
    int status = CLI_OK;

    if (!bench->options->json)
        print_heading(bench);
    for (size_t i = 0; i < bench->cases.count && status == CLI_OK; i++)
        status = measure_case(bench, cases[i]);
    return status;
}

/* The cases named, or all that can be measured. */
static int choose_cases(struct bench *bench)
{
    const struct bench_options *options = bench->options;
    const struct bench_case **named = options->cases.items;
    const struct bench_case *what;
    size_t named_count = options->cases.count;

    for (size_t i = 0;; i++) {
        if (named_count > 0)
            what = i < named_count ? named[i] : NULL;
        else
            what = bench_case(i);
        if (!what)
            return CLI_OK;
        if (what->recorded && !options->logits) {
            if (named_count > 0)
                return report(CLI_USAGE, "--case is '%s', which needs --logits",
                              what->name);
            continue;
        }
        if (named_count == 0 && options->quick && !what->quick)
            continue;

        const struct bench_case **added = list_append(&bench->cases);
        if (!added)
            return report_memory();
        *added = what;
        if ((int)strlen(what->name) > bench->name_width)
            bench->name_width = (int)strlen(what->name);
    }
}

/* Reads the logits of the case real, if they are given. */
static int read_recording(struct bench *bench)
{
    const struct bench_options *options = bench->options;
    struct npy *recorded = &bench->recorded;
    char message[NPY_MESSAGE_BYTES];

    if (!options->logits)
        return CLI_OK;
    if (npy_read(options->logits, recorded, message, sizeof(message)) != 0)
        return report(CLI_USAGE, "%s: %s", options->logits, message);
    if (recorded->type != NPY_FLOAT32 && recorded->type != NPY_FLOAT16)
        return report(CLI_USAGE, "%s: type %s; logits are float32 or float16",
                      options->logits, npy_type_name(recorded->type));
    bench->recorded_dtype =
        recorded->type == NPY_FLOAT16 ? TESSERA_FLOAT16 : TESSERA_FLOAT32;
    return CLI_OK;
}

/* Rows, params and answers are in host memory here, and times are the host's:
 * a device's own would need its events. */
static bool measurable(enum tessera_device device)
{
    return device != TESSERA_DEVICE_CUDA;
}

static int measure_all(struct bench *bench)
{
    const struct backend_choice *asked = &bench->options->backend;
    int status = CLI_OK;

    if (!bench->options->json)
        printf("tessera %s; logits by splitmix64, seed %" PRIu64
               "; floor by %s on one thread\n",
               tessera_version(), bench->options->seed, floor_instructions());
    bench->ordinal = asked->ordinal;
    for (int i = 0; i < BACKEND_COUNT && status == CLI_OK; i++) {
        bench->device = (enum tessera_device)i;
        bool chosen = asked->automatic
                          ? measurable(bench->device) &&
                                tessera_device_count(bench->device) > 0
                          : asked->device == bench->device;

        if (chosen)
            status = measure_backend(bench);
    }
    return status;
}

static int settle_backend(struct backend_choice *asked)
{
    if (asked->automatic)
        return CLI_OK;

    int status = backend_settle(asked, CLI_USAGE);
    if (status == CLI_OK && !measurable(asked->device))
        return report(CLI_USAGE,
                      "--backend is %s; bench measures backends that work in "
                      "host memory",
                      backend_name(asked->device));
    return status;
}

int cmd_bench(int argc, char **argv)
{
    struct bench_options options;
    struct bench bench = {.options = &options,
                          .cases = LIST_INIT(const struct bench_case *)};
    int status;

    if (bench_options_read(argc, argv, &options, &status)) {
        status = settle_backend(&options.backend);
        if (status == CLI_OK)
            status = choose_cases(&bench);
        if (status == CLI_OK)
            status = read_recording(&bench);
        if (status == CLI_OK)
            status = measure_all(&bench);
        npy_free(&bench.recorded);
        free(bench.cases.items);
    }
    bench_options_free(&options);
    return status;
}
