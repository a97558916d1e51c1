/*
 * arguments.h - what the commands share in reading their arguments
 *
 * argp reads them and lays out the help.  It never prints an error: its own
 * take two lines and do not say the range, so every fault is reported here.
 */

#ifndef TESSERA_CLI_ARGUMENTS_H
#define TESSERA_CLI_ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>

/* What the parsers of a command share: argp's input. */
struct reading {
    const struct argp *root;
    void *options; /* the command's own */
    bool help;     /* asked for: nothing after it matters */
    bool reported; /* a fault was: there is one line */
};

/* Reads the arguments after argv[0].  False: *exit_status is what to end with,
 * after the line that says why. */
bool arguments_read(int argc, char **argv, struct reading *reading,
                    int *exit_status);

/* Takes an option as good or as a fault already reported; what its parser
 * returns. */
error_t arguments_took(struct reading *reading, struct argp_state *state,
                       bool good);

/* For ARGP_KEY_ERROR: reports what argp could not read. */
error_t arguments_fault(struct reading *reading,
                        const struct argp_state *state);

/* Prints the help of a command with this documentation. */
void arguments_help(const struct argp *root, const char *doc, char *name);

#endif
