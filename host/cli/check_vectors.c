/*
 * check_vectors.c - tessera check --vectors: known answers, to the bit
 */

#include "ask_vector.h"
#include "backends.h"
#include "cli.h"
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
    const enum tessera_device *devices;
    size_t device_count;
    bool json;
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

static int print_failure(const struct check *check, enum tessera_device device,
                         const struct vector_case *asked,
                         const struct vector_outcome *outcome)
{
    const char *name = backend_name(device);

    if (outcome->pool.failed)
        return report_memory();
    if (outcome->status == TESSERA_OUT_OF_MEMORY)
        return report_library(outcome->status);
    if (outcome->status != TESSERA_OK) {
        const char *why = tessera_status_name(outcome->status);
        if (check->json)
            return json_print(json_pack("{s:I, s:s, s:s, s:s}", "line",
                                        (json_int_t)asked->line, "backend",
                                        name, "error", why, "message",
                                        tessera_last_error()));
        printf("%s:%zu: %s gives no answer: %s: %s\n", check->path, asked->line,
               name, why, tessera_last_error());
        return CLI_OK;
    }
    if (check->json)
        return json_print(json_pack(
            "{s:I, s:s, s:I, s:s, s:o, s:o}", "line", (json_int_t)asked->line,
            "backend", name, "step", (json_int_t)outcome->row, "differs_in",
            outcome->output, "expected",
            answer_text(&outcome->expected, outcome->row, asked->steps),
            "given", answer_text(&outcome->given, outcome->row, asked->steps)));
    printf("%s:%zu: %s differs in %s at step %" PRId32 "\n  %-10s", check->path,
           asked->line, name, outcome->output, outcome->row, "file");
    print_answer(stdout, &outcome->expected, outcome->row, asked->steps);
    printf("\n  %-10s", name);
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
    for (size_t i = 0; i < check->device_count && status == CLI_OK; i++) {
        struct vector_outcome outcome;

        ask_vector(check->devices[i], asked, logits, &outcome);
        if (outcome.status != TESSERA_OK || outcome.output) {
            differs = true;
            status = print_failure(check, check->devices[i], asked, &outcome);
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
    for (size_t i = 0; i < check->device_count; i++)
        printf("%s %s", i > 0 ? "," : "", backend_name(check->devices[i]));
    putchar('\n');
}

static int print_summary(const struct check *check)
{
    if (!check->json) {
        printf("%zu passed, %zu failed\n", check->passed, check->failed);
        return CLI_OK;
    }
    json_t *backends = json_array();
    for (size_t i = 0; i < check->device_count; i++)
        json_array_append_new(backends,
                              json_string(backend_name(check->devices[i])));
    return json_print(json_pack("{s:o, s:I, s:I}", "backends", backends,
                                "passed", (json_int_t)check->passed, "failed",
                                (json_int_t)check->failed));
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
        return report(CLI_USAGE, "%s: %s", path, error);
    return CLI_OK;
}

int check_vectors(const char *path, const enum tessera_device *devices,
                  size_t device_count, int json)
{
    struct check check = {path, devices, device_count, json != 0, 0, 0};
    char error[VECTOR_ERROR_BYTES];
    size_t size;

    if (device_count == 0)
        return report(CLI_FAILED, "no backend is here");
    for (size_t i = 0; i < device_count; i++)
        if (tessera_device_count(devices[i]) <= 0)
            return report(CLI_FAILED, "the backend %s is not here",
                          backend_name(devices[i]));
    char *bytes = vectors_load(path, &size, error);
    if (!bytes)
        return report(CLI_USAGE, "%s: %s", path, error);
    int status = each_case(path, bytes, size, NULL);
    if (status == CLI_OK) {
        print_heading(&check);
        status = each_case(path, bytes, size, &check);
    }
    free(bytes);
    if (status == CLI_OK)
        status = print_summary(&check);
    if (status != CLI_OK)
        return status;
    if (check.passed + check.failed == 0)
        return report(CLI_FAILED, "%s: holds no case", path);
    return check.failed == 0 ? CLI_OK : CLI_FAILED;
}
