/*
 * check_logits.c - tessera check LOGITS.npy: backends against the reference
 *
 * What is expected of a row is the reference's answer to the row alone.  Each
 * backend, the reference too, then answers all rows in one batch and in the
 * reverse order: neither the backend nor the neighbours may matter.
 */

#include "check.h"
#include "compare_answers.h"
#include "json_output.h"

#include <inttypes.h>
#include <stdio.h>

/* Rows and steps of one batch. */
#define CHUNK 64

/* Length of the lists compared, where --top-logprobs does not say. */
#define LISTED 20

/* Differences printed for a backend; all are counted. */
#define MOST_PRINTED 20

enum order { IN_ONE_BATCH, IN_REVERSE, ORDER_COUNT };

static const char *const order_names[ORDER_COUNT] = {
    [IN_ONE_BATCH] = "in one batch",
    [IN_REVERSE] = "in reverse",
};

struct checked_backend {
    struct backend_choice choice;
    char label[BACKEND_LABEL_BYTES];
    struct engine engine;
    uint64_t passed[ORDER_COUNT];
    uint64_t failed[ORDER_COUNT];
};

struct checking {
    const struct options *options;
    const struct request *request;
    struct engine alone; /* the reference, a row a call */
    struct answers expected;
    struct checked_backend backends[BACKENDS_MOST];
    size_t backend_count;

    /* By place in the batch: the row, and its place in 'expected'. */
    struct pick picks[CHUNK];
    int32_t places[CHUNK];
};

static int print_difference(const struct checking *checking,
                            const struct checked_backend *backend,
                            enum order order, int32_t i,
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
               backend->label, order_names[order], (int)pick->row, step, field,
               difference->got, difference->expected);
        return CLI_OK;
    }

    json_t *object = json_object();
    bool good =
        json_put_backend(object, &backend->choice) &&
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
            status = print_difference(checking, backend, order, i, &difference);
    }
    return status;
}

/* The reference's answers to the rows picked, each alone. */
static int expect(struct checking *checking, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        int status = engine_sample(&checking->alone, checking->request,
                                   &checking->picks[i], 1, RAW_ANSWERS);

        if (status != CLI_OK)
            return status;
        answers_copy(&checking->alone.answers, 0, &checking->expected, i);
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
    uint64_t first = 0;
    int32_t count;
    int status = CLI_OK;

    while (status == CLI_OK && !ferror(stdout) &&
           (count = request_places(checking->request, checking->options->draws,
                                   first, CHUNK, checking->picks)) > 0) {
        status = expect(checking, count);
        for (int order = 0; order < ORDER_COUNT; order++) {
            for (size_t i = 0; i < checking->backend_count && status == CLI_OK;
                 i++)
                status = compare(checking, &checking->backends[i],
                                 (enum order)order, count);
            reverse(checking, count);
        }
        first += (uint64_t)count;
    }
    return status;
}

/* One line of numbers; backend NULL: of all. */
static int print_counts(bool json, const struct checked_backend *backend,
                        enum order order, uint64_t passed, uint64_t failed)
{
    if (!json) {
        if (backend)
            printf("%s, %s: ", backend->label, order_names[order]);
        printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
        return CLI_OK;
    }

    json_t *object = json_object();
    bool good = true;
    if (backend)
        good = json_put_backend(object, &backend->choice) &&
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
                print_counts(json, backend, (enum order)order,
                             backend->passed[order], backend->failed[order]);
        }
        if (status == CLI_OK)
            status = launches_print(&backend->engine.launches, &backend->choice,
                                    json);
    }
    if (status == CLI_OK)
        status = print_counts(json, NULL, IN_ONE_BATCH, passed, failed);
    if (status == CLI_OK && (failed > 0 || passed == 0))
        status = CLI_FAILED;
    return status;
}

int check_logits(const struct options *options, const struct request *request,
                 const struct backend_choice *choices, size_t choice_count)
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

        backend->choice = choices[i];
        backend_label(&choices[i], backend->label);
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
