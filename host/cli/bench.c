/*
 * bench.c - tessera bench: throughput, beside the floor of this machine
 */

#include "bench_print.h"
#include "npy.h"

#include <stdio.h>
#include <string.h>

static const struct effort full_effort = {0, 3e5, 5};
static const struct effort quick_effort = {0, 1e5, 3};

/* A run: what to measure, on which backend. */
struct bench {
    const struct bench_options *options;
    struct list cases; /* const struct bench_case * */
    struct backend_choice backends[BACKENDS_MOST];
    size_t backend_count;
    struct bench_target target; /* of them */
    struct bench_line line;

    /* Of the file; columns 0: there is none. */
    struct npy recorded;
    int32_t recorded_vocab;
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

static int measure_shape(const struct bench *bench,
                         const struct bench_case *what,
                         struct bench_shape shape)
{
    const struct bench_options *options = bench->options;
    const struct bench_recording recording = {bench->recorded.data,
                                              bench->recorded.rows};
    struct effort effort = options->quick ? quick_effort : full_effort;
    const struct bench_target *target = &bench->target;
    struct workload workload;
    struct measurement measured;

    effort.repeats = options->repeats;
    int status =
        workload_create(&workload, what, shape, &recording, options->seed);
    if (status == CLI_OK && options->save)
        status = workload_save(&workload, options->save);
    if (status == CLI_OK && target->backend.device == TESSERA_DEVICE_CUDA)
        status = measure_cuda(target, &workload, effort, &measured);
    else if (status == CLI_OK)
        status = measure_host(target, &workload, effort, &measured);
    if (status == CLI_OK)
        status = workload_check(&workload);
    if (status == CLI_OK)
        status = bench_print(&bench->line, &workload, &measured);
    workload_free(&workload);
    return status;
}

/* The sizes and types of a case. */
struct grid {
    struct choices batches; /* int32_t */
    struct choices vocabs;  /* int32_t */
    struct choices dtypes;  /* enum tessera_dtype */
};

/* All that were asked for, or the defaults; a recording has its own. */
static struct grid grid_of(const struct bench *bench,
                           const struct bench_case *what)
{
    const struct bench_options *options = bench->options;
    struct grid grid = {
        given_or(&options->batches, DEFAULT(default_batches)),
        given_or(&options->vocabs, options->quick ? DEFAULT(quick_vocabs)
                                                  : DEFAULT(default_vocabs)),
        given_or(&options->dtypes, DEFAULT(default_dtypes)),
    };

    if (what->recorded) {
        grid.vocabs = (struct choices){&bench->recorded_vocab, 1};
        grid.dtypes = (struct choices){&bench->recorded_dtype, 1};
    }
    return grid;
}

static int measure_case(const struct bench *bench,
                        const struct bench_case *what)
{
    const struct grid grid = grid_of(bench, what);
    const int32_t *batches = grid.batches.items;
    const int32_t *vocabs = grid.vocabs.items;
    const enum tessera_dtype *dtypes = grid.dtypes.items;
    int status = CLI_OK;

    for (size_t i = 0; i < grid.dtypes.count; i++)
        for (size_t j = 0; j < grid.vocabs.count; j++)
            for (size_t k = 0; k < grid.batches.count; k++) {
                const struct bench_shape shape = {
                    .batch = batches[k],
                    .vocab = vocabs[j],
                    .dtype = dtypes[i],
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

    bench_print_heading(&bench->line);
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
        if ((int)strlen(what->name) > bench->line.name_width)
            bench->line.name_width = (int)strlen(what->name);
    }
}

/* A file has room for the logits of one measurement. */
static int check_save(const struct bench *bench)
{
    const struct bench_case **cases = bench->cases.items;
    const char *save = bench->options->save;
    size_t count = 0;

    for (size_t i = 0; i < bench->cases.count; i++) {
        struct grid grid = grid_of(bench, cases[i]);

        count += grid.batches.count * grid.vocabs.count * grid.dtypes.count;
    }
    if (save && count != 1)
        return report(CLI_USAGE,
                      "--save is '%s', a file for one case, batch, vocabulary "
                      "and type; there are %zu",
                      save, count);
    return CLI_OK;
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
        return report(file_status(), "%s: %s", options->logits, message);
    if (recorded->type != NPY_FLOAT32 && recorded->type != NPY_FLOAT16)
        return report(CLI_USAGE, "%s: type %s; logits are float32 or float16",
                      options->logits, npy_type_name(recorded->type));
    bench->recorded_vocab = (int32_t)recorded->columns;
    bench->recorded_dtype =
        recorded->type == NPY_FLOAT16 ? TESSERA_FLOAT16 : TESSERA_FLOAT32;
    return CLI_OK;
}

/* Lists the backends to measure: of those here, those with a clock. */
static int choose_backends(struct bench *bench)
{
    const struct backend_choice *asked = &bench->options->backend;
    size_t count;
    int status = backends_here(asked, CLI_USAGE, bench->backends, &count);

    bench->backend_count = 0;
    for (size_t i = 0; i < count && status == CLI_OK; i++) {
        if (bench->backends[i].device != TESSERA_DEVICE_CUDA ||
            !cuda_timing_absence())
            bench->backends[bench->backend_count++] = bench->backends[i];
        else if (!asked->automatic)
            status = report(CLI_USAGE,
                            "--backend is cuda; bench times it by events of "
                            "the CUDA driver: %s",
                            cuda_timing_absence());
    }
    return status;
}

static int measure_all(struct bench *bench)
{
    struct bench_target *target = &bench->target;
    int status = CLI_OK;

    bench_print_title(bench->options);
    for (size_t i = 0; i < bench->backend_count && status == CLI_OK; i++) {
        target->backend = bench->backends[i];
        target->threads = target->backend.device == TESSERA_DEVICE_CPU
                              ? target->backend.threads
                              : 1;
        status = measure_backend(bench);
    }
    return status;
}

int cmd_bench(int argc, char **argv)
{
    struct bench_options options;
    struct bench bench = {.options = &options,
                          .line = {&options, &bench.target, 4},
                          .cases = LIST_INIT(const struct bench_case *)};
    int status;

    if (bench_options_read(argc, argv, &options, &status)) {
        status = choose_backends(&bench);
        if (status == CLI_OK)
            status = choose_cases(&bench);
        if (status == CLI_OK)
            status = check_save(&bench);
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
