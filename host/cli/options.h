/*
 * options.h - the arguments of sample, show and check
 */

#ifndef TESSERA_CLI_OPTIONS_H
#define TESSERA_CLI_OPTIONS_H

#include "backends.h"
#include "list.h"

/* What was said; -1 in a number and NULL in a name: nothing was. */
struct options {
    const char *logits;
    bool bf16;
    int64_t row;         /* show */
    const char *vectors; /* check */

    /* Of every row, if a row of the params file does not say otherwise. */
    struct tessera_params params;
    const char *history;
    int64_t prompt_tokens;
    struct list biases; /* struct tessera_bias, in the order given */
    struct list bans;   /* int32_t */
    const char *allow_mask;
    const char *params_file;

    int64_t top_logprobs;
    bool raw_logprobs;
    int64_t draws; /* at least 1 */
    struct backend_choice backend;
    const char *vocab;
    bool json;
};

/* Options that one subcommand has and others have not, as bits. */
enum option_set { OPTIONS_ROW = 1, OPTIONS_VECTORS = 2 };

/* What help says of the argument LOGITS.npy. */
#define LOGITS_HELP                                                            \
    "LOGITS.npy is an array of shape [batch, vocab] or [vocab], float32 or "   \
    "float16 (or uint16 with --bf16), little-endian, in C order."

struct command_line {
    const char *arguments; /* "LOGITS.npy" */
    const char *doc;       /* help: before the options, \v, after them */
    unsigned options;      /* of enum option_set */
};

/*
 * Reads the arguments after argv[0], the subcommand's name.  Returns true to
 * go on; otherwise *exit_status is what to end with, after the help or the one
 * line that says what is wrong.  The options point into argv.
 */
bool options_read(const struct command_line *line, int argc, char **argv,
                  struct options *options, int *exit_status);

void options_free(struct options *options);

#endif
