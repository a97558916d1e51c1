/*
 * vectors.c - conformance vectors: questions with their answers, as text
 *
 * The reader is strict about form: every field, in order, in the digits it is
 * written with, so that a file cut or bent on its way is refused by line and
 * field.  What an answer claims is not judged here: a wrong claim is for the
 * comparison to find.
 */

#include "vectors.h"
#include "scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(VECTOR_ERROR_BYTES == SCAN_ERROR_BYTES, "one buffer serves");

/* Room for the current field's list; NULL for an empty one. */
static void *allocate(struct scan *scan, size_t count, size_t bytes)
{
    if (count == 0)
        return NULL;
    void *memory = calloc(count, bytes);
    if (memory == NULL)
        scan_fail(scan, scan->name, "no memory is left");
    return memory;
}

static bool read_line(struct vector_reader *reader, struct scan *scan)
{
    size_t left = (size_t)(reader->end - reader->next);
    const char *end = left > 0 ? memchr(reader->next, '\n', left) : NULL;

    scan->line = reader->line;
    if (left == 0)
        return scan_fail(scan, NULL, "the answer to the question is missing");
    if (end == NULL)
        return scan_fail(scan, NULL,
                         "the line has no end: the file is cut off");
    scan->rest.bytes = reader->next;
    scan->rest.length = (size_t)(end - reader->next);
    reader->next = end + 1;
    reader->line++;
    return true;
}

static void read_float(struct scan *scan, const char *name, float *value)
{
    uint64_t word;

    if (!scan_hex(scan, name, 8, &word))
        return;
    uint32_t bits = (uint32_t)word;
    memcpy(value, &bits, sizeof(*value));
}

static void read_bits(struct scan *scan, const char *name, uint32_t *bits)
{
    uint64_t word;

    if (scan_hex(scan, name, 8, &word))
        *bits = (uint32_t)word;
}

static int32_t *read_list(struct scan *scan, const char *name, int32_t minimum,
                          int32_t maximum, size_t most, int32_t *count)
{
    char wanted[64];

    *count = 0;
    if (!scan_field(scan, name))
        return NULL;
    size_t items = text_items(scan->value);
    if (items > most) {
        snprintf(wanted, sizeof(wanted), "a list of at most %zu", most);
        scan_refuse(scan, scan->value, wanted);
        return NULL;
    }
    int32_t *list = allocate(scan, items, sizeof(*list));
    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < items; i++) {
        struct text item = text_take(&scan->value, ',');
        if (!text_integer(item, minimum, maximum, &list[i])) {
            snprintf(wanted, sizeof(wanted), "a whole number in [%d, %d]",
                     minimum, maximum);
            scan_refuse(scan, item, wanted);
            break;
        }
    }
    *count = (int32_t)items;
    return list;
}

static void read_biases(struct scan *scan, struct vector_case *read)
{
    if (!scan_field(scan, "bias"))
        return;
    size_t items = text_items(scan->value);
    if (items > (size_t)read->vocab) {
        scan_refuse(scan, scan->value, "a list of at most one a token");
        return;
    }
    read->biases = allocate(scan, items, sizeof(*read->biases));
    if (read->biases == NULL)
        return;
    read->bias_count = (int32_t)items;
    for (size_t i = 0; i < items; i++) {
        struct text item = text_take(&scan->value, ',');
        struct text bits = item;
        struct text token = text_take(&bits, ':');
        uint64_t word;
        if (!text_integer(token, 0, read->vocab - 1, &read->biases[i].token) ||
            !text_hex(bits, 8, 8, &word)) {
            scan_refuse(scan, item, "id:bits, with the id below V");
            return;
        }
        uint32_t value = (uint32_t)word;
        memcpy(&read->biases[i].value, &value, sizeof(value));
    }
}

static void read_gauss(struct scan *scan, struct text formula,
                       struct gauss *gauss)
{
    struct text rest = formula;
    struct text seed, mean;

    text_take(&rest, ':');
    seed = text_take(&rest, ':');
    mean = text_take(&rest, ':');
    if (!text_unsigned(seed, UINT64_MAX, &gauss->seed) ||
        !text_decimal(mean, -GAUSS_LIMIT, GAUSS_LIMIT, &gauss->mean) ||
        !text_decimal(rest, 0, GAUSS_LIMIT, &gauss->deviation))
        scan_refuse(scan, formula, "gauss:SEED:MU:SD");
}

static void read_logits(struct scan *scan, struct vector_case *read)
{
    char wanted[64];
    size_t bytes = dtype_bytes(read->dtype);

    if (!scan_field(scan, "logits"))
        return;
    if (scan->value.length >= 6 &&
        memcmp(scan->value.bytes, "gauss:", 6) == 0) {
        read_gauss(scan, scan->value, &read->gauss);
        return;
    }
    if (text_items(scan->value) != (size_t)read->vocab) {
        snprintf(wanted, sizeof(wanted), "a list of V = %d", read->vocab);
        scan_refuse(scan, scan->value, wanted);
        return;
    }
    unsigned char *next = allocate(scan, (size_t)read->vocab, bytes);
    read->logits = next;
    if (next == NULL)
        return;
    for (int32_t token = 0; token < read->vocab; token++, next += bytes) {
        struct text item = text_take(&scan->value, ',');
        uint64_t word;
        if (!text_hex(item, 1, 2 * bytes, &word)) {
            snprintf(wanted, sizeof(wanted), "1 to %zu hexadecimal digits",
                     2 * bytes);
            scan_refuse(scan, item, wanted);
            return;
        }
        uint32_t bits = (uint32_t)word;
        uint16_t half = (uint16_t)word;
        if (bytes == 4)
            memcpy(next, &bits, sizeof(bits));
        else
            memcpy(next, &half, sizeof(half));
    }
}

static void read_dtype(struct scan *scan, enum tessera_dtype *dtype)
{
    if (!scan_field(scan, "dtype"))
        return;
    if (text_is(scan->value, "f"))
        *dtype = TESSERA_FLOAT32;
    else if (text_is(scan->value, "h"))
        *dtype = TESSERA_FLOAT16;
    else if (text_is(scan->value, "b"))
        *dtype = TESSERA_BFLOAT16;
    else
        scan_refuse(scan, scan->value, "f, h or b");
}

/* What no single field shows: ranges, an order, a sum. */
static void check_question(struct scan *scan, const struct vector_case *read)
{
    struct tessera_edits edits = {read->vocab, read->bias_count,
                                  read->ban_count, read->biases, read->bans};
    uint64_t last = read->params.step + (uint64_t)(read->steps - 1);

    if (scan->failed)
        return;
    if (read->prompt_length > read->history_length)
        scan_fail(scan, "prompt", "is longer than hist");
    else if (tessera_params_check(&read->params, &edits) != TESSERA_OK)
        scan_fail(scan, NULL, tessera_last_error());
    else if (last >= UINT64_C(1) << 62)
        scan_fail(scan, "step", "the last of nsteps is not below 2^62");
}

static void read_question(struct scan *scan, struct vector_case *read)
{
    struct tessera_params *params = &read->params;
    uint64_t penalize_prompt = 0;

    read->line = scan->line;
    struct text word = scan_word(scan);
    if (!text_is(word, "case")) {
        scan->name = "question";
        scan_refuse(scan, word, "\"case\"");
    }
    read_dtype(scan, &read->dtype);
    if (!scan_integer(scan, "V", 1, TESSERA_MAX_VOCAB, &read->vocab))
        return;
    read_float(scan, "T", &params->temperature);
    scan_integer(scan, "top_k", -1, INT32_MAX, &params->top_k);
    read_float(scan, "top_p", &params->top_p);
    read_float(scan, "min_p", &params->min_p);
    read_float(scan, "rep", &params->repetition_penalty);
    read_float(scan, "freq", &params->frequency_penalty);
    read_float(scan, "pres", &params->presence_penalty);
    scan_integer(scan, "window", INT32_MIN, INT32_MAX, &params->penalty_window);
    scan_unsigned(scan, "penalize_prompt", 1, &penalize_prompt);
    params->penalize_prompt = (int32_t)penalize_prompt;
    scan_hex(scan, "seed", 16, &params->seed);
    scan_hex(scan, "sub", 16, &params->stream);
    scan_hex(scan, "step", 16, &params->step);
    scan_integer(scan, "nsteps", 1, VECTOR_MAX_STEPS, &read->steps);
    scan_integer(scan, "prompt", 0, VECTOR_MAX_ENTRIES, &read->prompt_length);
    read->history = read_list(scan, "hist", INT32_MIN, INT32_MAX,
                              VECTOR_MAX_ENTRIES, &read->history_length);
    read_biases(scan, read);
    read->bans = read_list(scan, "banned", 0, read->vocab - 1,
                           VECTOR_MAX_ENTRIES, &read->ban_count);
    read_logits(scan, read);
    scan_end(scan);
    check_question(scan, read);
}

static void read_draw(struct scan *scan, int32_t steps,
                      struct vector_answer *answer)
{
    int32_t count;

    read_bits(scan, "max", &answer->max);
    scan_integer(scan, "n", 0, INT32_MAX, &answer->in);
    scan_integer(scan, "nk", 0, INT32_MAX, &answer->after_top_k);
    scan_integer(scan, "np", 0, INT32_MAX, &answer->after_top_p);
    scan_integer(scan, "kept", 0, INT32_MAX, &answer->n_kept);
    scan_unsigned(scan, "S", UINT64_MAX, &answer->weight_sum);
    answer->tokens =
        read_list(scan, "tokens", INT32_MIN, INT32_MAX, (size_t)steps, &count);
    if (!scan->failed && count != steps)
        scan_fail(scan, "tokens", "are fewer than nsteps");
}

static void read_answer(struct scan *scan, int32_t steps,
                        struct vector_answer *answer)
{
    uint64_t nan = 0;
    int32_t count;

    struct text kind = scan_word(scan);
    if (text_is(kind, "empty"))
        answer->kind = VECTOR_EMPTY;
    else if (text_is(kind, "greedy"))
        answer->kind = VECTOR_GREEDY;
    else if (text_is(kind, "draw"))
        answer->kind = VECTOR_DRAW;
    else {
        scan->name = "answer";
        scan_refuse(scan, kind, "empty, greedy or draw");
    }
    scan_unsigned(scan, "nan", 1, &nan);
    answer->nan = nan != 0;
    if (answer->kind == VECTOR_DRAW) {
        read_draw(scan, steps, answer);
    } else if (answer->kind == VECTOR_GREEDY) {
        answer->n_kept = 1;
        answer->weight_sum = UINT64_C(1) << 40;
        answer->tokens =
            read_list(scan, "token", INT32_MIN, INT32_MAX, 1, &count);
        if (!scan->failed && count != 1)
            scan_fail(scan, "token", "is missing");
    }
    if (answer->kind != VECTOR_EMPTY) {
        read_bits(scan, "lp", &answer->logprob);
        read_bits(scan, "raw", &answer->raw_logprob);
    }
    scan_end(scan);
}

enum vector_result vector_next(struct vector_reader *reader,
                               struct vector_case *read, char *error)
{
    struct vector_case blank = {0};
    struct scan scan = {0};

    *read = blank;
    errno = 0;
    if (reader->next == reader->end)
        return VECTOR_END;
    scan.error = error;
    if (read_line(reader, &scan))
        read_question(&scan, read);
    if (!scan.failed && read_line(reader, &scan))
        read_answer(&scan, read->steps, &read->answer);
    if (!scan.failed)
        return VECTOR_READ;

    vector_free(read);
    return VECTOR_MALFORMED;
}

void vector_free(struct vector_case *read)
{
    struct vector_case blank = {0};

    free(read->history);
    free(read->biases);
    free(read->bans);
    free(read->logits);
    free(read->answer.tokens);
    *read = blank;
}

void *vector_logits(const struct vector_case *read)
{
    size_t count = (size_t)read->vocab;
    size_t bytes = dtype_bytes(read->dtype);
    void *logits = malloc(count * bytes);

    if (logits == NULL)
        return NULL;
    if (read->logits != NULL)
        memcpy(logits, read->logits, count * bytes);
    else
        gauss_fill(read->gauss, read->dtype, count, logits);
    return logits;
}

char *vectors_load(const char *path, size_t *size, char *error)
{
    char *bytes = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "rb");
    int number = errno;

    *size = 0;
    if (file) {
        /* A text has no zero byte: so one call reads all of it. */
        errno = 0;
        ssize_t length = getdelim(&bytes, &room, '\0', file);
        number = errno;
        if (length >= 0)
            *size = (size_t)length;
        else if (!bytes || ferror(file) || number == ENOMEM) {
            free(bytes);
            bytes = NULL;
        }
        fclose(file);
    }
    if (!bytes)
        snprintf(error, VECTOR_ERROR_BYTES, "%s", strerror(number));
    errno = number;
    return bytes;
}
