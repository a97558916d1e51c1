/*
 * check_vectors.c - tessera check --vectors: known answers, to the bit
 */

#include "ask_vector.h"
#include "check.h"
#include "json_output.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tokens of an answer that are printed; "..." stands for the rest. */
#define SHOWN_TOKENS 64

/* What a check is of, and how it has gone so far. */
struct check {
    const char *path;
    const struct backend_choice *choices;
    size_t choice_count;
    bool json;
    char labels[BACKENDS_MOST][BACKEND_LABEL_BYTES];
    struct launches launches[BACKENDS_MOST];
    size_t passed;
    size_t failed;
};

/* Prints an answer as the file would have it, in what the API shows of it:
 * the counts of one row, the tokens of all. */
static void print_answer(FILE *out, const struct tessera_outputs *answer,
                         int32_t row, int32_t rows)
{
    unsigned status = answer->status[row];
    const char *kind = status & TESSERA_ROW_INVALID ? "invalid"
                       : status & TESSERA_ROW_EMPTY ? "empty"
                                                    : "draw";
    uint32_t logprob, raw_logprob;

    memcpy(&logprob, answer->logprob, sizeof(logprob));
    memcpy(&raw_logprob, answer->raw_logprob, sizeof(raw_logprob));
    fprintf(out, "%s nan=%d kept=%" PRId32 " S=%" PRIu64 " tokens=", kind,
            (status & TESSERA_ROW_NAN) != 0, answer->n_kept[row],
            answer->weight_sum[row]);
    for (int32_t i = 0; i < rows && i < SHOWN_TOKENS; i++)
        fprintf(out, "%s%" PRId32, i == 0 ? "" : ",", answer->token[i]);
    fprintf(out, "%s lp=%08" PRIx32 " raw=%08" PRIx32,
            rows > SHOWN_TOKENS ? ",..." : "", logprob, raw_logprob);
}

/* print_answer() as a string of JSON; NULL: no memory. */
static json_t *answer_text(const struct tessera_outputs *answer, int32_t row,
                           int32_t rows)
{
    char *text = NULL;
    size_t size;
    json_t *string = NULL;
    FILE *stream = open_memstream(&text, &size);

    if (!stream)
        return NULL;
    print_answer(stream, answer, row, rows);
    if (fclose(stream) == 0)
        string = json_string(text);
    free(text);
    return string;
}

/* 'what' is taken; NULL: no memory. */
static int print_failure_json(const struct check *check, size_t backend,
                              const struct vector_case *asked, json_t *what)
{
    json_t *object = json_object();
    bool good =
        json_put(object, "line", json_integer((json_int_t)asked->line)) &&
        json_put_backend(object, &check->choices[backend]) && what &&
        json_object_update(object, what) == 0;

    json_decref(what);
    return json_print(json_whole(object, good));
}

static int print_failure(const struct check *check, size_t backend,
                         const struct vector_case *asked,
                         const struct vector_outcome *outcome)
{
    const char *label = check->labels[backend];

    if (outcome->pool.failed)
        return report_memory();
    if (outcome->status == TESSERA_OUT_OF_MEMORY)
        return report_library(outcome->status);
    if (outcome->status != TESSERA_OK) {
        const char *why = tessera_status_name(outcome->status);
        if (check->json)
            return print_failure_json(check, backend, asked,
                                      json_pack("{s:s, s:s}", "error", why,
                                                "message",
                                                tessera_last_error()));
        printf("%s:%zu: %s gives no answer: %s: %s\n", check->path, asked->line,
               label, why, tessera_last_error());
        return CLI_OK;
    }
    if (check->json)
        return print_failure_json(
            check, backend, asked,
            json_pack(
                "{s:I, s:s, s:o, s:o}", "step", (json_int_t)outcome->row,
                "differs_in", outcome->output, "expected",
                answer_text(&outcome->expected, outcome->row, asked->steps),
                "given",
                answer_text(&outcome->given, outcome->row, asked->steps)));
    printf("%s:%zu: %s differs in %s at step %" PRId32 "\n  %-12s", check->path,
           asked->line, label, outcome->output, outcome->row, "file");
    print_answer(stdout, &outcome->expected, outcome->row, asked->steps);
    printf("\n  %-12s", label);
    print_answer(stdout, &outcome->given, outcome->row, asked->steps);
    putchar('\n');
    return CLI_OK;
}

/* Puts the case to each backend.  CLI_OK, or the status of the line reported.
 */
static int check_case(struct check *check, const struct vector_case *asked)
{
    void *logits = vector_logits(asked);
    bool differs = false;
    int status = CLI_OK;

    if (!logits)
        return report_memory();
    for (size_t i = 0; i < check->choice_count && status == CLI_OK; i++) {
        struct vector_outcome outcome;

        ask_vector(&check->choices[i], asked, logits, &check->launches[i],
                   &outcome);
        if (outcome.status != TESSERA_OK || outcome.output) {
            differs = true;
            status = print_failure(check, i, asked, &outcome);
        }
        vector_outcome_free(&outcome);
    }
    free(logits);
    check->passed += !differs;
    check->failed += differs;
    return status;
}

static void print_heading(const struct check *check)
{
    if (check->json)
        return;
    printf("%s, asked of", check->path);
    for (size_t i = 0; i < check->choice_count; i++)
        printf("%s %s", i > 0 ? "," : "", check->labels[i]);
    putchar('\n');
}

static int print_summary(const struct check *check)
{
    if (!check->json) {
        printf("%zu passed, %zu failed\n", check->passed, check->failed);
        return CLI_OK;
    }
    json_t *backends = json_array();
    json_t *object = json_object();
    bool good = backends != NULL;
    for (size_t i = 0; i < check->choice_count && good; i++)
        good =
            json_array_append_new(backends, json_string(check->labels[i])) == 0;
    backends = json_whole(backends, good);
    good =
        json_put(object, "backends", backends) &&
        json_put(object, "passed", json_integer((json_int_t)check->passed)) &&
        json_put(object, "failed", json_integer((json_int_t)check->failed));
    return json_print(json_whole(object, good));
}

/* Reads all cases; with 'check', puts each to the backends.  So a first pass
 * without it finds a malformed file before anything is said about it. */
static int each_case(const char *path, const char *bytes, size_t size,
                     struct check *check)
{
    struct vector_reader reader = VECTOR_READER_INIT(bytes, size);
    char error[VECTOR_ERROR_BYTES];
    enum vector_result result;
    struct vector_case asked;

    while ((result = vector_next(&reader, &asked, error)) == VECTOR_READ) {
        int status = check ? check_case(check, &asked) : CLI_OK;

        vector_free(&asked);
        if (status != CLI_OK)
            return status;
    }
    if (result == VECTOR_MALFORMED)
        return report(file_status(), "%s: %s", path, error);
    return CLI_OK;
}

/* Asks, and prints all but the numbers. */
static int check_bytes(struct check *check, const char *bytes, size_t size)
{
    int status = each_case(check->path, bytes, size, NULL);

    if (status != CLI_OK)
        return status;
    print_heading(check);
    status = each_case(check->path, bytes, size, check);
    for (size_t i = 0; i < check->choice_count && status == CLI_OK &&
                       check->passed + check->failed > 0;
         i++)
        status = launches_print(&check->launches[i], &check->choices[i],
                                check->json);
    return status;
}

int check_vectors(const char *path, const struct backend_choice *choices,
                  size_t choice_count, bool json)
{
    struct check check = {.path = path,
                          .choices = choices,
                          .choice_count = choice_count,
                          .json = json};
    char error[VECTOR_ERROR_BYTES];
    size_t size;

    if (choice_count == 0)
        return report(CLI_FAILED, "no backend is here");
    for (size_t i = 0; i < choice_count; i++) {
        backend_label(&choices[i], check.labels[i]);
        check.launches[i] = (struct launches)LAUNCHES_INIT;
        if (tessera_device_count(choices[i].device) <= 0)
            return report(CLI_FAILED, "the backend %s is not here",
                          check.labels[i]);
    }
    char *bytes = vectors_load(path, &size, error);
    if (!bytes)
        return report(file_status(), "%s: %s", path, error);
    int status = check_bytes(&check, bytes, size);
    free(bytes);
    for (size_t i = 0; i < choice_count; i++)
        launches_free(&check.launches[i]);
    if (status == CLI_OK)
        status = print_summary(&check);
    if (status != CLI_OK)
        return status;
    if (check.passed + check.failed == 0)
        return report(CLI_FAILED, "%s: holds no case", path);
    return check.failed == 0 ? CLI_OK : CLI_FAILED;
}
