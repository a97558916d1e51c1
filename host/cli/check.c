/*
 * check.c - tessera check: every backend here against the reference
 *
 * What is expected of a row is the reference's answer to the row alone.  Each
 * backend, the reference too, then answers all rows in one batch and in the
 * reverse order: neither the backend nor the neighbours may matter.
 */

#include "cli.h"
#include "compare_answers.h"
#include "json_output.h"
#include "options.h"

#include <inttypes.h>
#include <stdio.h>

/* Rows and steps of one batch. */
#define CHUNK 64

/* Length of the lists compared, where --top-logprobs does not say. */
#define LISTED 20

/* Differences printed for a backend; all are counted. */
#define MOST_PRINTED 20

static const struct command_line line = {
    .arguments = "LOGITS.npy\n--vectors=FILE",
    .doc =
        "Compare every backend here with the reference, bit for bit.\n\n"
        "LOGITS.npy is an array of shape [batch, vocab] or [vocab], float32 or "
        "float16 (or uint16 with --bf16), little-endian, in C order.  FILE "
        "holds conformance vectors, questions with their answers; of the "
        "options only --backend and --json matter to it."
        "\v"
        "The reference answers each row alone; then each backend answers all "
        "of them in one batch, and in the reverse order.  Token, n_kept, sum "
        "of weights, status, rank, log-probabilities and lists of top tokens, "
        "processed and raw, must be the same.  --backend names one backend; "
        "--raw-logprobs and --vocab change nothing here.\n\n"
        "Ends with a line 'N passed, N failed', counted by answers.  The exit "
        "status is 1 if any failed, if there was none, or if the backend asked "
        "for is not here.\n\n"
        "Examples:\n"
        "  tessera check logits.npy --top-k 50 --draws 4\n"
        "  tessera check --vectors vectors.txt\n",
    .options = OPTIONS_VECTORS,
};

enum order { IN_ONE_BATCH, IN_REVERSE, ORDER_COUNT };

static const char *const order_names[ORDER_COUNT] = {
    [IN_ONE_BATCH] = "in one batch",
    [IN_REVERSE] = "in reverse",
};

struct checked_backend {
    const char *name;
    struct engine engine;
    uint64_t passed[ORDER_COUNT];
    uint64_t failed[ORDER_COUNT];
};

struct checking {
    const struct options *options;
    const struct request *request;
    struct engine alone; /* the reference, a row a call */
    struct answers expected;
    struct checked_backend backends[BACKEND_COUNT];
    size_t backend_count;

    /* By place in the batch: the row, and its place in 'expected'. */
    struct pick picks[CHUNK];
    int32_t places[CHUNK];
};

static int print_difference(const struct checking *checking,
                            const char *backend, enum order order, int32_t i,
                            const struct difference *difference)
{
    const struct pick *pick = &checking->picks[i];
    uint64_t step =
        checking->request->row[pick->row].params.step + pick->steps_on;
    char field[48];

    if (difference->place >= 0)
        snprintf(field, sizeof(field), "%s[%d]", difference->field,
                 (int)difference->place);
    else
        snprintf(field, sizeof(field), "%s", difference->field);
    if (!checking->options->json) {
        printf("%s, %s, row %d, step %" PRIu64 ": %s is %s; the reference has "
               "%s\n",
               backend, order_names[order], (int)pick->row, step, field,
               difference->got, difference->expected);
        return CLI_OK;
    }

    json_t *object = json_object();
    bool good =
        json_put(object, "backend", json_string(backend)) &&
        json_put(object, "order", json_string(order_names[order])) &&
        json_put(object, "row", json_integer(pick->row)) &&
        json_put(object, "step", json_of_word(step)) &&
        json_put(object, "field", json_string(field)) &&
        json_put(object, "got", json_string(difference->got)) &&
        json_put(object, "reference", json_string(difference->expected));
    return json_print(json_whole(object, good));
}

static int compare(const struct checking *checking,
                   struct checked_backend *backend, enum order order,
                   int32_t count)
{
    int status = engine_sample(&backend->engine, checking->request,
                               checking->picks, count, RAW_ANSWERS);

    for (int32_t i = 0; i < count && status == CLI_OK; i++) {
        struct difference difference;

        if (answers_equal(&checking->expected, checking->places[i],
                          &backend->engine.answers, i, &difference))
            backend->passed[order]++;
        else if (backend->failed[order]++ < MOST_PRINTED)
            status = print_difference(checking, backend->name, order, i,
                                      &difference);
    }
    return status;
}

/* The reference's answers to rows alone, and the rows in their order. */
static int expect(struct checking *checking, uint64_t first, int32_t count)
{
    uint64_t draws = (uint64_t)checking->options->draws;

    for (int32_t i = 0; i < count; i++) {
        uint64_t place = first + (uint64_t)i;
        struct pick pick = {(int32_t)(place / draws), place % draws};
        int status = engine_sample(&checking->alone, checking->request, &pick,
                                   1, RAW_ANSWERS);

        if (status != CLI_OK)
            return status;
        answers_copy(&checking->alone.answers, 0, &checking->expected, i);
        checking->picks[i] = pick;
        checking->places[i] = i;
    }
    return CLI_OK;
}

static void reverse(struct checking *checking, int32_t count)
{
    for (int32_t i = 0; i < count / 2; i++) {
        int32_t j = count - 1 - i;
        struct pick pick = checking->picks[i];

        checking->picks[i] = checking->picks[j];
        checking->picks[j] = pick;
        checking->places[i] = j;
        checking->places[j] = i;
    }
}

static int check_all(struct checking *checking)
{
    uint64_t total = (uint64_t)checking->request->logits.rows *
                     (uint64_t)checking->options->draws;
    int status = CLI_OK;

    for (uint64_t first = 0; first < total && !ferror(stdout); first += CHUNK) {
        int32_t count =
            total - first < CHUNK ? (int32_t)(total - first) : CHUNK;

        status = expect(checking, first, count);
        for (int order = 0; order < ORDER_COUNT; order++) {
            for (size_t i = 0; i < checking->backend_count && status == CLI_OK;
                 i++)
                status = compare(checking, &checking->backends[i],
                                 (enum order)order, count);
            reverse(checking, count);
        }
        if (status != CLI_OK)
            break;
    }
    return status;
}

/* One line of numbers; backend NULL: of all. */
static int print_counts(bool json, const char *backend, enum order order,
                        uint64_t passed, uint64_t failed)
{
    if (!json) {
        if (backend)
            printf("%s, %s: ", backend, order_names[order]);
        printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
        return CLI_OK;
    }

    json_t *object = json_object();
    bool good = true;
    if (backend)
        good = json_put(object, "backend", json_string(backend)) &&
               json_put(object, "order", json_string(order_names[order]));
    good = good && json_put(object, "passed", json_of_word(passed)) &&
           json_put(object, "failed", json_of_word(failed));
    return json_print(json_whole(object, good));
}

static int print_result(const struct checking *checking)
{
    bool json = checking->options->json;
    uint64_t passed = 0;
    uint64_t failed = 0;
    int status = CLI_OK;

    for (size_t i = 0; i < checking->backend_count; i++) {
        const struct checked_backend *backend = &checking->backends[i];

        for (int order = 0; order < ORDER_COUNT && status == CLI_OK; order++) {
            passed += backend->passed[order];
            failed += backend->failed[order];
            status =
                print_counts(json, backend->name, (enum order)order,
                             backend->passed[order], backend->failed[order]);
        }
    }
    if (status == CLI_OK)
        status = print_counts(json, NULL, IN_ONE_BATCH, passed, failed);
    if (status == CLI_OK && (failed > 0 || passed == 0))
        status = CLI_FAILED;
    return status;
}

static int check_logits(const struct options *options,
                        const struct request *request,
                        const struct backend_choice *choices,
                        size_t choice_count)
{
    static const struct backend_choice reference = {
        .device = TESSERA_DEVICE_REFERENCE};
    struct checking *checking = calloc(1, sizeof(*checking));
    int32_t top_n =
        options->top_logprobs >= 0 ? (int32_t)options->top_logprobs : LISTED;
    int status;

    if (!checking)
        return report_memory();
    checking->options = options;
    checking->request = request;
    status = engine_open(&checking->alone, &reference, request, 1, top_n);
    if (status == CLI_OK)
        status = answers_create(&checking->expected, CHUNK, top_n);
    for (size_t i = 0; i < choice_count && status == CLI_OK; i++) {
        struct checked_backend *backend =
            &checking->backends[checking->backend_count++];

        backend->name = backend_name(choices[i].device);
        status =
            engine_open(&backend->engine, &choices[i], request, CHUNK, top_n);
    }
    if (status == CLI_OK)
        status = check_all(checking);
    if (status == CLI_OK)
        status = print_result(checking);

    for (size_t i = 0; i < checking->backend_count; i++)
        engine_close(&checking->backends[i].engine);
    answers_free(&checking->expected);
    engine_close(&checking->alone);
    free(checking);
    return status;
}

/* The backends asked for; [BACKEND_COUNT]. */
static int choose(const struct options *options, struct backend_choice *choices,
                  size_t *count)
{
    *count = 0;
    if (!options->backend.automatic) {
        choices[(*count)++] = options->backend;
        return backend_settle(&choices[0], CLI_FAILED);
    }
    for (int i = 0; i < BACKEND_COUNT; i++)
        if (tessera_device_count((enum tessera_device)i) > 0)
            choices[(*count)++] =
                (struct backend_choice){.device = (enum tessera_device)i};
    return CLI_OK;
}

static int check(const struct options *options)
{
    struct backend_choice choices[BACKEND_COUNT];
    enum tessera_device devices[BACKEND_COUNT];
    struct request request;
    size_t count;
    int status = choose(options, choices, &count);

    if (status != CLI_OK)
        return status;
    if (options->vectors) {
        for (size_t i = 0; i < count; i++)
            devices[i] = choices[i].device;
        return check_vectors(options->vectors, devices, count, options->json);
    }
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
