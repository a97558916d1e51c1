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

/* Each plan that is here, or only the one asked for. */
static int choose_plans(const struct backend_choice *cuda,
                        struct backend_choice *choices, size_t *count)
{
    size_t before = *count;

    for (int i = 0; i < PLAN_COUNT; i++) {
        struct backend_choice choice = *cuda;

        choice.plans = UINT32_C(1) << i;
        if ((cuda->plans == 0 && !plan_absence(&choice)) ||
            cuda->plans == choice.plans)
            choices[(*count)++] = choice;
    }
    if (*count == before)
        return report(CLI_FAILED, "the backend cuda has no plan here");
    return CLI_OK;
}

/* The backends asked for; [MOST_CHECKED]. */
static int choose(const struct options *options, struct backend_choice *choices,
                  size_t *count)
{
    struct backend_choice cuda = options->backend;
    bool all = cuda.automatic;

    *count = 0;
    if (!all && cuda.device != TESSERA_DEVICE_CUDA) {
        choices[(*count)++] = options->backend;
        return backend_settle(&choices[0], CLI_FAILED);
    }
    for (int i = 0; all && i < TESSERA_DEVICE_CUDA; i++)
        if (tessera_device_count((enum tessera_device)i) > 0)
            choices[(*count)++] =
                (struct backend_choice){.device = (enum tessera_device)i};
    if (all && tessera_device_count(TESSERA_DEVICE_CUDA) == 0) {
        if (cuda.plans == 0)
            return CLI_OK;
        return report(CLI_FAILED, "--plan is %s; %s", plan_name(cuda.plans),
                      backend_absence(TESSERA_DEVICE_CUDA));
    }
    cuda.automatic = false;
    cuda.device = TESSERA_DEVICE_CUDA;
    int status = backend_settle(&cuda, CLI_FAILED);
    return status == CLI_OK ? choose_plans(&cuda, choices, count) : status;
}

static int check(const struct options *options)
{
    struct backend_choice choices[MOST_CHECKED];
    struct request request;
    size_t count;
    int status = choose(options, choices, &count);

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
