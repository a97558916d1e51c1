/*
 * request_run.h - a subcommand that answers a request on one backend
 */

#ifndef TESSERA_CLI_REQUEST_RUN_H
#define TESSERA_CLI_REQUEST_RUN_H

#include "request.h"
#include "token_texts.h"

/* Reads the arguments after argv[0] and what they name, settles the backend and
 * calls 'run'.  Returns its exit status, or that of the line reported. */
int request_run(const struct command_line *line, int argc, char **argv,
                int (*run)(const struct options *options,
                           const struct request *request,
                           const struct token_texts *texts));

#endif
