/*
 * arguments.c - what the commands share in reading their arguments
 */

#include "arguments.h"

#include "cli.h"
#include "option_faults.h"

#include <stdio.h>

bool arguments_read(int argc, char **argv, struct reading *reading,
                    int *exit_status)
{
    unsigned flags = ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT | ARGP_IN_ORDER;

    *exit_status = CLI_OK;
    if (argp_parse(reading->root, argc, argv, flags, NULL, reading) != 0) {
        *exit_status =
            reading->reported ? (int)reported_status() : report_memory();
        return false;
    }
    return true;
}

error_t arguments_took(struct reading *reading, struct argp_state *state,
                       bool good)
{
    reading->reported = !good;
    if (reading->help)
        state->next = state->argc; /* and nothing after it matters */
    return good ? 0 : EINVAL;
}

error_t arguments_fault(struct reading *reading, const struct argp_state *state)
{
    if (!reading->reported)
        option_fault(reading->root, state->argv, state->next);
    reading->reported = true;
    return 0;
}

void arguments_help(const struct argp *root, const char *doc, char *name)
{
    struct argp documented = *root;

    documented.doc = doc;
    argp_help(&documented, stdout,
              ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
}
