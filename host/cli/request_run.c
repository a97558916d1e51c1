/*
 * request_run.c - a subcommand that answers a request on one backend
 */

#include "request_run.h"

int request_run(const struct command_line *line, int argc, char **argv,
                int (*run)(const struct options *options,
                           const struct request *request,
                           const struct token_texts *texts))
{
    struct options options;
    struct request request;
    struct token_texts texts;
    int status;

    if (!options_read(line, argc, argv, &options, &status))
        return status;
    if ((status = backend_settle(&options.backend, CLI_USAGE)) == CLI_OK &&
        (status = token_texts_read(options.vocab, &texts)) == CLI_OK) {
        if ((status = request_read(&options, &request)) == CLI_OK) {
            status = run(&options, &request, &texts);
            request_free(&request);
        }
        token_texts_free(&texts);
    }
    options_free(&options);
    return status;
}
