/*
 * request.c - read what a run of the command asks
 */

#include "request.h"

#include "numbers.h"
#include "params_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The first step that no row may use. */
#define STEP_END (UINT64_C(1) << 62)

static int set_type(const struct options *options, struct request *request)
{
    enum npy_type type = request->logits.type;
    const char *name = npy_type_name(type);

    if (options->bf16) {
        request->type = TESSERA_BFLOAT16;
        if (type != NPY_UINT16)
            return report(CLI_USAGE,
                          "%s: type %s; with --bf16 it must be uint16",
                          options->logits, name);
        return CLI_OK;
    }
    request->type = type == NPY_FLOAT16 ? TESSERA_FLOAT16 : TESSERA_FLOAT32;
    if (type != NPY_FLOAT16 && type != NPY_FLOAT32)
        return report(CLI_USAGE, "%s: type %s; logits are float32 or float16%s",
                      options->logits, name,
                      type == NPY_UINT16 ? ", or bfloat16 with --bf16" : "");
    return CLI_OK;
}

static int read_masks(const struct options *options, struct request *request)
{
    const char *path = options->allow_mask;
    struct npy *masks = &request->masks;
    size_t words = (request->logits.columns + 31) / 32;
    char message[NPY_MESSAGE_BYTES];

    if (!path)
        return CLI_OK;
    if (npy_read(path, masks, message, sizeof(message)) != 0)
        return report(file_status(), "%s: %s", path, message);
    if (masks->type != NPY_UINT32)
        return report(CLI_USAGE, "%s: type %s; masks are uint32", path,
                      npy_type_name(masks->type));
    if (masks->columns < words)
        return report(CLI_USAGE,
                      "%s: its number of words a mask is %zu; %zu tokens take "
                      "at least %zu",
                      path, masks->columns, request->logits.columns, words);
    if (masks->rows != 1 && masks->rows != request->logits.rows)
        return report(CLI_USAGE,
                      "%s: its number of masks is %zu; the logits have %zu "
                      "rows, which take as many or 1",
                      path, masks->rows, request->logits.rows);
    return CLI_OK;
}

/* Of a longer word, the rest is passed over; it is no token id. */
#define WORD_BYTES 32

/* The next word between white space; false at the end.  *whole: it is not
 * longer than 'word'. */
static bool next_word(FILE *file, char word[WORD_BYTES + 1], bool *whole)
{
    size_t length = 0;
    int c;

    *whole = true;
    while ((c = getc(file)) != EOF) {
        bool space = c == ' ' || (c >= '\t' && c <= '\r');

        if (space && length > 0)
            break;
        *whole = *whole && (space || length < WORD_BYTES);
        if (!space && length < WORD_BYTES)
            word[length++] = c == '\0' ? '?' : (char)c;
    }
    word[length] = '\0';
    return length > 0;
}

static int read_history(const char *path, struct row_lists *lists)
{
    FILE *file = fopen(path, "rb");
    char word[WORD_BYTES + 1];
    int status = CLI_OK;
    bool whole;

    if (!file)
        return report_file(path);
    while (status == CLI_OK && next_word(file, word, &whole)) {
        int64_t id;

        if (!whole || number_integer(word, &id) != NUMBER_OK ||
            id < INT32_MIN || id > INT32_MAX) {
            status =
                report(CLI_USAGE,
                       "%s: entry %zu is '%s'; a token id is a whole number, "
                       "%d .. %d",
                       path, lists->tokens.count, word, INT32_MIN, INT32_MAX);
            break;
        }
        if (lists->tokens.count == INT32_MAX) {
            status = report(CLI_USAGE, "%s has more than %d entries", path,
                            INT32_MAX);
            break;
        }
        int32_t *token = list_append(&lists->tokens);
        if (token)
            *token = (int32_t)id;
        else
            status = report_memory();
    }
    if (status == CLI_OK && ferror(file))
        status = report_file(path);
    fclose(file);
    return status;
}

/* Copies a list of the options; the rows' lists live as long as they. */
static int copy_list(const struct list *from, struct list *to,
                     struct span *span)
{
    *span = (struct span){to->count, from->count};
    for (size_t i = 0; i < from->count; i++) {
        void *item = list_append(to);

        if (!item)
            return report_memory();
        memcpy(item, (const char *)from->items + i * from->item_bytes,
               from->item_bytes);
    }
    return CLI_OK;
}

/* What every row asks, unless the params file says otherwise. */
static int read_common(const struct options *options, struct row_lists *lists,
                       struct row_request *common)
{
    char fault[128];
    int status;

    *common = (struct row_request){.params = options->params};
    if (options->history &&
        (status = read_history(options->history, lists)) != CLI_OK)
        return status;
    common->history.count = lists->tokens.count;
    if (options->prompt_tokens >= 0)
        common->prompt_tokens = options->prompt_tokens;
    if ((status = copy_list(&options->biases, &lists->biases,
                            &common->biases)) != CLI_OK ||
        (status = copy_list(&options->bans, &lists->bans, &common->bans)) !=
            CLI_OK)
        return status;
    if (row_settle_biases(lists, common->biases, fault, sizeof(fault)) != 0)
        return report(CLI_USAGE, "--bias %s", fault);
    if (row_check_bans(lists, common->bans, fault, sizeof(fault)) != 0)
        return report(CLI_USAGE, "--ban %s", fault);
    if (!options->params_file &&
        common->prompt_tokens > (int64_t)common->history.count)
        return report(CLI_USAGE,
                      "--prompt-tokens is %" PRId64
                      "; its range is 0 .. %zu, the history's length",
                      common->prompt_tokens, common->history.count);
    return CLI_OK;
}

static int check_steps(const struct options *options,
                       const struct request *request)
{
    for (size_t row = 0; row < request->logits.rows; row++) {
        uint64_t step = request->row[row].params.step;

        if (STEP_END - step < (uint64_t)options->draws)
            return report(CLI_USAGE,
                          "--draws is %" PRId64 "; its range is 1 .. %" PRIu64
                          " from step %" PRIu64 " of row %zu",
                          options->draws, STEP_END - step, step, row);
    }
    return CLI_OK;
}

static int read_rows(const struct options *options, struct request *request)
{
    struct row_request common;
    size_t rows = request->logits.rows;
    int status;

    request->lists =
        (struct row_lists)ROW_LISTS_INIT((int32_t)request->logits.columns);
    if ((status = read_common(options, &request->lists, &common)) != CLI_OK)
        return status;
    request->row = calloc(rows, sizeof(*request->row));
    if (!request->row)
        return report_memory();
    for (size_t row = 0; row < rows; row++)
        request->row[row] = common;
    if (options->params_file &&
        (status = params_file_read(options->params_file, &request->lists,
                                   request->row, rows)) != CLI_OK)
        return status;
    return check_steps(options, request);
}

int request_read(const struct options *options, struct request *request)
{
    char message[NPY_MESSAGE_BYTES];
    int status;

    *request = (struct request){.row = NULL};
    if (npy_read(options->logits, &request->logits, message, sizeof(message)))
        return report(file_status(), "%s: %s", options->logits, message);
    if ((status = set_type(options, request)) != CLI_OK ||
        (status = read_masks(options, request)) != CLI_OK ||
        (status = read_rows(options, request)) != CLI_OK) {
        request_free(request);
        return status;
    }
    return CLI_OK;
}

void request_free(struct request *request)
{
    npy_free(&request->logits);
    npy_free(&request->masks);
    row_lists_free(&request->lists);
    free(request->row);
    *request = (struct request){.row = NULL};
}

int32_t request_places(const struct request *request, int64_t draws,
                       uint64_t first, int32_t most, struct pick *picks)
{
    uint64_t steps = (uint64_t)draws;
    uint64_t left = (uint64_t)request->logits.rows * steps - first;
    int32_t count = left < (uint64_t)most ? (int32_t)left : most;

    for (int32_t i = 0; i < count; i++) {
        uint64_t place = first + (uint64_t)i;

        picks[i] = (struct pick){(int32_t)(place / steps), place % steps};
    }
    return count;
}

const uint32_t *request_mask(const struct request *request, size_t row)
{
    const struct npy *masks = &request->masks;

    if (!masks->data)
        return NULL;
    return (const uint32_t *)masks->data +
           (masks->rows == 1 ? 0 : row * masks->columns);
}
