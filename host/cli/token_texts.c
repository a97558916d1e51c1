/*
 * token_texts.c - what tokens look like: a file with a JSON string a line
 *
 * Texts come from a model's vocabulary and hold anything: newlines, control
 * characters that a terminal would obey, half of a combined character.
 */

#include "token_texts.h"

#include "cli.h"
#include "locale_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int append(struct token_texts *texts, size_t *capacity, json_t *string)
{
    if (texts->count == *capacity) {
        size_t larger = *capacity == 0 ? 1024 : *capacity * 2;
        json_t **strings =
            realloc(texts->strings, larger * sizeof(*texts->strings));
        if (!strings) {
            json_decref(string);
            return report_memory();
        }
        texts->strings = strings;
        *capacity = larger;
    }
    texts->strings[texts->count++] = string;
    return CLI_OK;
}

static int read_line(const char *path, const char *line, size_t length,
                     struct token_texts *texts, size_t *capacity)
{
    json_error_t error;

    errno = 0;
    json_t *value =
        json_loadb(line, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);

    if (!value && errno == ENOMEM) /* of which jansson does not always tell */
        return report_memory();
    if (!json_is_string(value)) {
        json_decref(value);
        return report(CLI_USAGE,
                      "%s:%zu: not a JSON string, the text of token %zu", path,
                      texts->count + 1, texts->count);
    }
    if (texts->count == TESSERA_MAX_VOCAB) {
        json_decref(value);
        return report(CLI_USAGE, "%s has more than %d lines, one a token", path,
                      TESSERA_MAX_VOCAB);
    }
    return append(texts, capacity, value);
}

int token_texts_read(const char *path, struct token_texts *texts)
{
    char *line = NULL;
    size_t line_size = 0;
    size_t capacity = 0;
    ssize_t length;
    int status = CLI_OK;

    *texts = (struct token_texts){NULL, 0};
    if (!path)
        return CLI_OK;
    FILE *file = fopen(path, "rb");
    if (!file)
        return report_file(path);
    errno = 0;
    while (status == CLI_OK && (length = getline(&line, &line_size, file)) > 0)
        status = read_line(path, line, (size_t)length, texts, &capacity);
    if (status == CLI_OK && !feof(file))
        status = report_file(path);
    free(line);
    fclose(file);
    if (status != CLI_OK)
        token_texts_free(texts);
    return status;
}

void token_texts_free(struct token_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        json_decref(texts->strings[i]);
    free(texts->strings);
    *texts = (struct token_texts){NULL, 0};
}

json_t *token_text(const struct token_texts *texts, int32_t token)
{
    if (token < 0 || (size_t)token >= texts->count)
        return NULL;
    return texts->strings[token];
}

/* The code point at *text, which is valid UTF-8 (jansson saw to it); *text
 * moves past it. */
static uint32_t next_code_point(const unsigned char **text)
{
    const unsigned char *c = *text;
    int more = c[0] < 0x80 ? 0 : c[0] < 0xe0 ? 1 : c[0] < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? c[0] : c[0] & (0x3fu >> more);

    for (int i = 1; i <= more; i++)
        code = code << 6 | (c[i] & 0x3fu);
    *text = c + more + 1;
    return code;
}

/* How a code point is shown; returns the columns it takes.  The bytes are
 * those of its UTF-8. */
static size_t show(uint32_t code, const unsigned char *bytes, size_t length,
                   char shown[16])
{
    static const char escapes[][3] = {"\"\"", "\\\\", "\nn", "\tt", "\rr"};
    size_t room = 16;

    for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
        if (code == (unsigned char)escapes[i][0])
            return (size_t)snprintf(shown, room, "\\%c", escapes[i][1]);
    if (code >= 0x20 && code < 0x7f)
        return (size_t)snprintf(shown, room, "%c", (char)code);

    /* A character of no width would join the one before it. */
    if (code >= 0x80 && locale_is_utf8() && wcwidth((wchar_t)code) > 0) {
        memcpy(shown, bytes, length);
        shown[length] = '\0';
        return (size_t)wcwidth((wchar_t)code);
    }
    if (code <= 0xffff)
        return (size_t)snprintf(shown, room, "\\u%04x", (unsigned)code);
    code -= 0x10000;
    return (size_t)snprintf(shown, room, "\\u%04x\\u%04x",
                            0xd800u | (unsigned)code >> 10,
                            0xdc00u | ((unsigned)code & 0x3ff));
}

/* Shows what fits into 'columns' columns; returns those taken.  out NULL:
 * nothing is printed.  *all tells whether that was everything. */
static size_t show_text(const json_t *string, size_t columns, FILE *out,
                        bool *all)
{
    const unsigned char *text =
        (const unsigned char *)json_string_value(string);
    const unsigned char *end = text + json_string_length(string);
    size_t used = 0;

    while (text < end) {
        const unsigned char *start = text;
        uint32_t code = next_code_point(&text);
        char shown[16];
        size_t width = show(code, start, (size_t)(text - start), shown);

        if (used + width > columns) {
            *all = false;
            return used;
        }
        if (out)
            fputs(shown, out);
        used += width;
    }
    *all = true;
    return used;
}

void token_text_print(const struct token_texts *texts, int32_t token,
                      size_t columns, FILE *out)
{
    json_t *string = token_text(texts, token);
    const char *ellipsis = locale_is_utf8() ? "\u2026" : "...";
    size_t ellipsis_columns = locale_is_utf8() ? 1 : 3;
    size_t used = 0;
    bool all;

    if (string && columns == 0) {
        putc('"', out);
        show_text(string, SIZE_MAX / 2, out, &all);
        putc('"', out);
        return;
    }
    if (string) {
        putc('"', out);
        used = 2 + show_text(string, columns - 2, NULL, &all);
        if (all) {
            show_text(string, columns - 2, out, &all);
            putc('"', out);
        } else {
            used = 1 + ellipsis_columns;
            used += show_text(string, columns - used, out, &all);
            fputs(ellipsis, out);
        }
    }
    for (; used < columns; used++)
        putc(' ', out);
}
