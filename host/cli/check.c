/*
 * check.c - tessera check: every backend here against known answers
 */

#include "check.h"

#include "cli.h"

static const struct command_line line = {
    .arguments = "LOGITS.npy\n--vectors=FILE",
    .doc =
        "Compare every backend here with the reference, bit for bit."
        "\n\n" LOGITS_HELP
        "  FILE holds conformance vectors, questions with their answers; of "
        "the options only --backend, --plan and --json matter to it."
        "\v"
        "The reference answers each row alone; then each backend, and each "
        "plan of the backend cuda, answers all of them in one batch, and in "
        "the reverse order.  Token, n_kept, sum of weights, status, rank, "
        "log-probabilities and lists of top tokens, processed and raw, must be "
        "the same.  --backend names one backend, --plan one plan; "
        "--raw-logprobs and --vocab change nothing here.\n\n"
        "Says which kernels the backend cuda ran, each with the number of its "
        "launches, and ends with a line 'N passed, N failed', counted by "
        "answers.  The exit status is 1 if any failed, if there was none, if "
        "the backend cuda ran no kernel, or if the backend or plan asked for "
        "is not here.\n\n"
        "Examples:\n"
        "  tessera check logits.npy --top-k 50 --draws 4\n"
        "  tessera check --vectors vectors.txt\n"
        "  tessera check --backend cuda --plan staged --vectors vectors.txt\n",
    .options = OPTIONS_VECTORS,
};

static int check(const struct options *options)
{
    struct backend_choice choices[BACKENDS_MOST];
    struct request request;
    size_t count;
    int status = backends_here(&options->backend, CLI_FAILED, choices, &count);

    if (status != CLI_OK)
        return status;
    if (options->vectors)
        return check_vectors(options->vectors, choices, count, options->json);
    if ((status = request_read(options, &request)) == CLI_OK) {
        status = check_logits(options, &request, choices, count);
        request_free(&request);
    }
    return status;
}

int cmd_check(int argc, char **argv)
{
    struct options options;
    int status;

    if (!options_read(&line, argc, argv, &options, &status))
        return status;
    status = check(&options);
    options_free(&options);
    return status;
}
