/*
 * params_line.c - fuzzer: a line of a params file, of any bytes
 *
 * What is read must be what the library takes.
 */

#include "fuzz.h"

#include "../../host/cli/cli.h"
#include "../../host/cli/params_file.h"

#include <string.h>

enum { VOCAB = 100 };

static void check_span(struct span span, const struct list *list)
{
    REQUIRE(span.first <= list->count && span.count <= list->count - span.first,
            "%zu entries from %zu on, of %zu", span.count, span.first,
            list->count);
}

static void check_read(const struct row_lists *lists,
                       const struct row_request *row)
{
    check_span(row->history, &lists->tokens);
    check_span(row->biases, &lists->biases);
    check_span(row->bans, &lists->bans);
    REQUIRE(row->prompt_tokens >= 0 &&
                (size_t)row->prompt_tokens <= row->history.count,
            "prompt of %lld", (long long)row->prompt_tokens);

    const struct tessera_edits edits = {
        .vocab = VOCAB,
        .bias_count = (int32_t)row->biases.count,
        .ban_count = (int32_t)row->bans.count,
        .biases = row_biases(lists, row->biases),
        .bans = row_bans(lists, row->bans),
    };
    REQUIRE(tessera_params_check(&row->params, &edits) == TESSERA_OK, "%s",
            tessera_last_error());
}

/* The reader is given lines as getline() leaves them: with a zero after. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct row_lists lists = ROW_LISTS_INIT(VOCAB);
    struct row_request row = {.params = TESSERA_PARAMS_INIT};
    char message[256];
    char *line = malloc(size + 1);

    REQUIRE(line, "no memory for %zu bytes", size + 1);
    if (size > 0)
        memcpy(line, data, size);
    line[size] = '\0';
    memset(message, 'x', sizeof(message));

    int status =
        params_line_read(line, size, &lists, &row, message, sizeof(message));
    if (status == CLI_OK) {
        check_read(&lists, &row);
    } else {
        REQUIRE(status == CLI_USAGE, "%d", status);
        REQUIRE(memchr(message, '\0', sizeof(message)), "no end");
        REQUIRE(message[0], "says nothing");
    }
    row_lists_free(&lists);
    free(line);
    return 0;
}
