/*
 * options.c - the arguments of sample, show and check
 */

#include "options.h"

#include "arguments.h"
#include "option_values.h"
#include "parameter_options.h"

#include <string.h>

/* Keys beyond characters: no option but -h has a short form. */
enum {
    KEY_ROW = 0x100,
    KEY_VECTORS,
    KEY_HISTORY,
    KEY_PROMPT_TOKENS,
    KEY_BIAS,
    KEY_BAN,
    KEY_ALLOW_MASK,
    KEY_PARAMS,
    KEY_TOP_LOGPROBS,
    KEY_RAW_LOGPROBS,
    KEY_DRAWS,
    KEY_BACKEND,
    KEY_PLAN,
    KEY_THREADS,
    KEY_VOCAB,
    KEY_JSON,
    KEY_BF16,
    KEY_PARAMETER, /* and its index; the last */
    KEY_END = KEY_PARAMETER + 0x100
};

/* Sets the options that take a number. */
static const struct number_option number_options[] = {
    {KEY_ROW, "--row", 0, INT32_MAX, offsetof(struct options, row)},
    {KEY_PROMPT_TOKENS, "--prompt-tokens", 0, INT32_MAX,
     offsetof(struct options, prompt_tokens)},
    {KEY_TOP_LOGPROBS, "--top-logprobs", 0, TESSERA_MAX_TOP_LOGPROBS,
     offsetof(struct options, top_logprobs)},
    {KEY_DRAWS, "--draws", 1, INT32_MAX, offsetof(struct options, draws)},
    {0, NULL, 0, 0, 0},
};

static const struct argp_option row_options[] = {
    {"history", KEY_HISTORY, "FILE", 0,
     "Tokens before this one, for the penalties: ids parted by white space", 0},
    {"prompt-tokens", KEY_PROMPT_TOKENS, "N", 0,
     "The first N of the history are the prompt (default 0)", 0},
    {"bias", KEY_BIAS, "ID:VALUE", 0,
     "Add VALUE to a token's logit, -inf bans it; may be repeated", 0},
    {"ban", KEY_BAN, "ID", 0, "Take a token out; may be repeated", 0},
    {"allow-mask", KEY_ALLOW_MASK, "FILE.npy", 0,
     "Bits of the tokens allowed: uint32 [rows, words], or one row for all", 0},
    {"params", KEY_PARAMS, "FILE.jsonl", 0,
     "A JSON object for each row, keys as these options with _ for -, also "
     "history, prompt_tokens, bias and ban; what it says overrides the "
     "options for its row",
     0},
    {0}};

static const struct argp_option common_options[] = {
    {"top-logprobs", KEY_TOP_LOGPROBS, "N", 0,
     "List the N most probable tokens of each row, 0 .. 64", 0},
    {"raw-logprobs", KEY_RAW_LOGPROBS, NULL, 0,
     "Give log-probabilities of the logits as they came, too; the list of "
     "--top-logprobs is then theirs",
     0},
    {"draws", KEY_DRAWS, "N", 0,
     "Draw N consecutive steps of each row, from the same logits and history "
     "(default 1)",
     0},
    {"backend", KEY_BACKEND, "NAME", 0, BACKEND_NAMES " (default auto)", 0},
    {"plan", KEY_PLAN, "NAME", 0,
     "How the backend cuda goes about it: " PLAN_NAMES " (default auto)", 0},
    {"threads", KEY_THREADS, "N", 0,
     "Most threads of the backend cpu, 1 .. 1024 (default: all processors)", 0},
    {"vocab", KEY_VOCAB, "FILE", 0,
     "Texts of the tokens: a JSON string on each line", 0},
    {"bf16", KEY_BF16, NULL, 0, "The logits are bfloat16, stored as uint16", 0},
    {"json", KEY_JSON, NULL, 0, "Print an object on each line; -inf is null",
     0},
    {"help", 'h', NULL, 0, "Print this and end", 0},
    {0}};

static const struct argp_option own_row_option = {
    "row", KEY_ROW, "R", 0, "The row to show, from 0", 0};
static const struct argp_option own_vectors_option = {
    "vectors",
    KEY_VECTORS,
    "FILE",
    0,
    "Conformance vectors to answer, instead of logits",
    0};

/* Every value but a number in a range. */
static bool set_option(int key, char *text, struct reading *reading)
{
    struct options *options = reading->options;

    switch (key) {
    case KEY_VECTORS:
        options->vectors = text;
        return true;
    case KEY_HISTORY:
        options->history = text;
        return true;
    case KEY_ALLOW_MASK:
        options->allow_mask = text;
        return true;
    case KEY_PARAMS:
        options->params_file = text;
        return true;
    case KEY_VOCAB:
        options->vocab = text;
        return true;
    case KEY_RAW_LOGPROBS:
        options->raw_logprobs = true;
        return true;
    case KEY_BF16:
        options->bf16 = true;
        return true;
    case KEY_JSON:
        options->json = true;
        return true;
    case 'h':
        reading->help = true;
        return true;
    case KEY_BIAS:
        return option_bias(text, &options->biases);
    case KEY_BAN:
        return option_ban(text, &options->bans);
    case KEY_BACKEND:
        return option_backend(text, &options->backend);
    case KEY_PLAN:
        return option_plan(text, &options->backend);
    case KEY_THREADS:
        return option_threads(text, &options->backend);
    default:
        return option_number(number_options, key, text, options);
    }
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct reading *reading = state->input;
    struct options *options = reading->options;
    bool good;

    if (key >= KEY_PARAMETER && key < KEY_END)
        good = option_parameter((size_t)(key - KEY_PARAMETER), text,
                                &options->params);
    else if (key == 'h' || (key >= KEY_ROW && key < KEY_PARAMETER))
        good = set_option(key, text, reading);
    else
        return ARGP_ERR_UNKNOWN;
    return arguments_took(reading, state, good);
}

static error_t read_root(int key, char *text, struct argp_state *state)
{
    struct reading *reading = state->input;
    struct options *options = reading->options;

    switch (key) {
    case ARGP_KEY_INIT:
        for (size_t i = 0; reading->root->children[i].argp; i++)
            state->child_inputs[i] = reading;
        return 0;
    case ARGP_KEY_ARG:
        if (!options->logits) {
            options->logits = text;
            return 0;
        }
        report(CLI_USAGE, "'%s' is one argument too many, after '%s'", text,
               options->logits);
        return arguments_took(reading, state, false);
    case ARGP_KEY_ERROR:
        return arguments_fault(reading, state);
    default:
        return read_option(key, text, state);
    }
}

static void options_init(struct options *options)
{
    *options = (struct options){
        .row = -1,
        .params = TESSERA_PARAMS_INIT,
        .prompt_tokens = -1,
        .biases = LIST_INIT(struct tessera_bias),
        .bans = LIST_INIT(int32_t),
        .top_logprobs = -1,
        .draws = 1,
        .backend = {.automatic = true},
    };
}

/* What must be there is there, once the rest is good. */
static bool complete(const struct options *options, unsigned set)
{
    const char *fault = NULL;

    if (options->logits && options->vectors)
        fault = "LOGITS.npy and --vectors exclude each other";
    else if (!options->logits && !options->vectors)
        fault = set & OPTIONS_VECTORS
                    ? "an argument is missing: LOGITS.npy or --vectors=FILE"
                    : "an argument is missing: LOGITS.npy";
    else if ((set & OPTIONS_ROW) && options->row < 0)
        fault = "--row is missing: which row to show, from 0";
    if (fault)
        report(CLI_USAGE, "%s; see --help", fault);
    return !fault;
}

static int print_help(const struct argp *root, const char *doc, char *name)
{
    char *text = parameter_help(doc);

    if (!text)
        return report_memory();
    arguments_help(root, text, name);
    free(text);
    return CLI_OK;
}

bool options_read(const struct command_line *line, int argc, char **argv,
                  struct options *options, int *exit_status)
{
    struct argp_option *parameter_options =
        parameter_options_create(KEY_PARAMETER);
    struct argp_option own[3] = {{0}};
    size_t own_count = 0;

    options_init(options);
    if (!parameter_options) {
        *exit_status = report_memory();
        return false;
    }
    if (line->options & OPTIONS_ROW)
        own[own_count++] = own_row_option;
    if (line->options & OPTIONS_VECTORS)
        own[own_count++] = own_vectors_option;

    struct argp row = {.options = row_options, .parser = read_option};
    struct argp common = {.options = common_options, .parser = read_option};
    struct argp parameters = {.options = parameter_options,
                              .parser = read_option};
    struct argp_child children[] = {
        {&row, 0, "What a row asks for, beside the parameters below:", 1},
        {&common, 0, "What is done and printed:", 2},
        {&parameters, 0, NULL, 3},
        {0}};
    struct argp root = {/* argp leaks a table of nothing */
                        .options = own_count > 0 ? own : NULL,
                        .parser = read_root,
                        .args_doc = line->arguments,
                        .children = children};
    struct reading reading = {.options = options, .root = &root};

    bool go_on = arguments_read(argc, argv, &reading, exit_status);
    if (go_on && reading.help) {
        *exit_status = print_help(&root, line->doc, argv[0]);
        go_on = false;
    }
    if (go_on && !complete(options, line->options)) {
        *exit_status = CLI_USAGE;
        go_on = false;
    }
    parameter_options_free(parameter_options);
    if (!go_on)
        options_free(options);
    return go_on;
}

void options_free(struct options *options)
{
    free(options->biases.items);
    free(options->bans.items);
    options_init(options);
}
