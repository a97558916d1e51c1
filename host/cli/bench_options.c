/*
 * bench_options.c - the arguments of bench
 */

#include "bench_options.h"

#include "arguments.h"
#include "bench_cases.h"
#include "option_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BATCH 65536
#define MOST_REPEATS 2000
#define MOST_THREADS 1024

enum {
    KEY_BACKEND = 0x100,
    KEY_PLAN,
    KEY_THREADS,
    KEY_BATCH,
    KEY_VOCAB_SIZE,
    KEY_DTYPE,
    KEY_CASE,
    KEY_REPEAT,
    KEY_LOGITS,
    KEY_SAVE,
    KEY_SEED,
    KEY_QUICK,
    KEY_JSON
};

static const struct argp_option known_options[] = {
    {"backend", KEY_BACKEND, "NAME", 0,
     BACKEND_NAMES "; auto (the default): each that is here", 0},
    {"plan", KEY_PLAN, "NAME", 0,
     "How the backend cuda goes about it: " PLAN_NAMES "; auto (the default): "
     "each that is here",
     0},
    {"threads", KEY_THREADS, "N", 0,
     "Most threads of the backend cpu (default 1)", 0},
    {"batch", KEY_BATCH, "N,...", 0, "Rows of a batch (default 1,8)", 0},
    {"vocab-size", KEY_VOCAB_SIZE, "N,...", 0,
     "Tokens of a row (default 32000,128256)", 0},
    {"dtype", KEY_DTYPE, "TYPE,...", 0,
     "Types of the logits: f32, f16, bf16 (default f32)", 0},
    {"case", KEY_CASE, "NAME,...", 0, "What to measure (default: all)", 0},
    {"repeat", KEY_REPEAT, "N", 0,
     "Times of each measurement (default: 0.3 s long, at least 5)", 0},
    {"logits", KEY_LOGITS, "FILE.npy", 0,
     "Recorded logits, for the case real, which is left out without them; "
     "their vocabulary and type are what it has",
     0},
    {"save", KEY_SAVE, "FILE.npy", 0,
     "Write the logits that are measured, [rows, vocab], for another program "
     "to measure too; with one case, batch, size and type",
     0},
    {"seed", KEY_SEED, "N", 0, "Seed of logits and draws (default 0)", 0},
    {"quick", KEY_QUICK, NULL, 0, "A few cases, in a few seconds", 0},
    {"json", KEY_JSON, NULL, 0, "Print an object on each line", 0},
    {"help", 'h', NULL, 0, "Print this and end", 0},
    {0}};

static const char *const dtype_names[] = {
    [TESSERA_FLOAT32] = "f32",
    [TESSERA_FLOAT16] = "f16",
    [TESSERA_BFLOAT16] = "bf16",
};

const char *dtype_name(enum tessera_dtype dtype)
{
    return dtype_names[dtype];
}

static bool append_number(struct list *list, const char *name, const char *text,
                          int32_t most)
{
    int64_t value;

    if (!option_integer(name, text, 1, most, &value))
        return false;
    int32_t *added = list_append(list);
    if (!added) {
        report_memory();
        return false;
    }
    *added = (int32_t)value;
    return true;
}

static bool append_dtype(struct list *list, const char *text)
{
    for (size_t i = 0; i < sizeof(dtype_names) / sizeof(dtype_names[0]); i++) {
        if (strcmp(text, dtype_names[i]) != 0)
            continue;
        enum tessera_dtype *added = list_append(list);
        if (!added) {
            report_memory();
            return false;
        }
        *added = (enum tessera_dtype)i;
        return true;
    }
    report(CLI_USAGE, "--dtype is '%s'; it may be f32, f16 or bf16", text);
    return false;
}

/* The names of all cases, for a message. */
static void list_cases(char *names, size_t size)
{
    const struct bench_case *known;
    size_t used = 0;

    names[0] = '\0';
    for (size_t i = 0; (known = bench_case(i)) && used < size; i++)
        used += (size_t)snprintf(names + used, size - used, "%s%s",
                                 i > 0 ? ", " : "", known->name);
}

static bool append_case(struct list *list, const char *text)
{
    const struct bench_case *named = bench_case_named(text);
    char names[512];

    if (!named) {
        list_cases(names, sizeof(names));
        report(CLI_USAGE, "--case is '%s'; it may be %s", text, names);
        return false;
    }
    const struct bench_case **added = list_append(list);
    if (!added) {
        report_memory();
        return false;
    }
    *added = named;
    return true;
}

static bool append_item(int key, const char *text,
                        struct bench_options *options)
{
    switch (key) {
    case KEY_BATCH:
        return append_number(&options->batches, "--batch", text, MOST_BATCH);
    case KEY_VOCAB_SIZE:
        return append_number(&options->vocabs, "--vocab-size", text,
                             TESSERA_MAX_VOCAB);
    case KEY_DTYPE:
        return append_dtype(&options->dtypes, text);
    default:
        return append_case(&options->cases, text);
    }
}

/* A list separated by commas. */
static bool append_items(int key, const char *text,
                         struct bench_options *options)
{
    char *copy = strdup(text);
    char *rest = copy;
    char *item;
    bool good = true;

    if (!copy) {
        report_memory();
        return false;
    }
    while (good && (item = strsep(&rest, ",")))
        good = append_item(key, item, options);
    free(copy);
    return good;
}

/* The seed of the draws is that of everything here. */
static bool set_seed(const char *text, uint64_t *seed)
{
    struct tessera_params params;
    size_t index = 0;

    while (strcmp(tessera_parameter_info(index)->name, "seed") != 0)
        index++;
    if (!option_parameter(index, text, &params))
        return false;
    *seed = params.seed;
    return true;
}

static bool set_option(int key, const char *text, struct reading *reading)
{
    struct bench_options *options = reading->options;

    switch (key) {
    case KEY_BACKEND:
        return option_backend(text, &options->backend);
    case KEY_PLAN:
        return option_plan(text, &options->backend);
    case KEY_THREADS:
        return option_integer("--threads", text, 1, MOST_THREADS,
                              &options->threads);
    case KEY_REPEAT:
        return option_integer("--repeat", text, 1, MOST_REPEATS,
                              &options->repeats);
    case KEY_LOGITS:
        options->logits = text;
        return true;
    case KEY_SAVE:
        options->save = text;
        return true;
    case KEY_SEED:
        return set_seed(text, &options->seed);
    case KEY_QUICK:
        options->quick = true;
        return true;
    case KEY_JSON:
        options->json = true;
        return true;
    case 'h':
        reading->help = true;
        return true;
    default:
        return append_items(key, text, options);
    }
}

static error_t read_argument(int key, char *text, struct argp_state *state)
{
    struct reading *reading = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        report(CLI_USAGE, "'%s' is one argument too many", text);
        return arguments_took(reading, state, false);
    case ARGP_KEY_ERROR:
        return arguments_fault(reading, state);
    default:
        if (key != 'h' && (key < KEY_BACKEND || key > KEY_JSON))
            return ARGP_ERR_UNKNOWN;
        return arguments_took(reading, state, set_option(key, text, reading));
    }
}

static char *help_text(int key, const char *text, void *input)
{
    char names[512];
    char *help = NULL;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    list_cases(names, sizeof(names));
    return asprintf(&help, "%s\n\nCases: %s.", text, names) < 0 ? NULL : help;
}

bool bench_options_read(int argc, char **argv, struct bench_options *options,
                        int *exit_status)
{
    const struct argp root = {
        .options = known_options,
        .parser = read_argument,
        .doc =
            "Measure the throughput of the backends here.\n\n"
            "Each time is printed beside the floor of this machine, measured "
            "on the same rows by turns: one scan for the maximum, and one sum "
            "of weights where the answer needs every weight, by vectorised "
            "loops on one thread.  On a GPU it is one read of the logits, as "
            "half of a copy of them."
            "\v"
            "Prints a line for each measurement: microseconds of a batch "
            "(median, least and most), its floor, the median over the floor, "
            "and rows sampled in a second.",
        .help_filter = help_text};
    struct reading reading = {.options = options, .root = &root};

    *options = (struct bench_options){
        .backend = {.automatic = true},
        .threads = 1,
        .batches = LIST_INIT(int32_t),
        .vocabs = LIST_INIT(int32_t),
        .dtypes = LIST_INIT(enum tessera_dtype),
        .cases = LIST_INIT(const struct bench_case *),
    };
    if (!arguments_read(argc, argv, &reading, exit_status))
        return false;
    if (reading.help)
        arguments_help(&root, root.doc, argv[0]);
    return !reading.help;
}

void bench_options_free(struct bench_options *options)
{
    free(options->batches.items);
    free(options->vocabs.items);
    free(options->dtypes.items);
    free(options->cases.items);
}
