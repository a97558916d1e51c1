/*
 * npy_header.c - the Python literal in which a .npy file says what it holds
 *
 * NumPy writes "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
 * and pads it with spaces and a newline.  Other writers order and space it
 * differently, so what is accepted is any dict of just these keys.
 */

#include "npy_header.h"

#include <string.h>

struct cursor {
    const char *next;
    const char *end;
};

static void skip_space(struct cursor *cursor)
{
    while (cursor->next < cursor->end &&
           memchr(" \t\r\n", *cursor->next, 4) != NULL)
        cursor->next++;
}

/* Takes the character if it comes next, after white space. */
static bool take(struct cursor *cursor, char c)
{
    skip_space(cursor);
    if (cursor->next == cursor->end || *cursor->next != c)
        return false;
    cursor->next++;
    return true;
}

static bool take_word(struct cursor *cursor, const char *word)
{
    size_t length = strlen(word);

    skip_space(cursor);
    if ((size_t)(cursor->end - cursor->next) < length ||
        memcmp(cursor->next, word, length) != 0)
        return false;
    cursor->next += length;
    return true;
}

/* A string in single or double quotes, without escapes, that fits 'text' with
 * its end. */
static bool take_string(struct cursor *cursor, char *text, size_t text_size)
{
    size_t length = 0;

    skip_space(cursor);
    if (cursor->next == cursor->end ||
        (*cursor->next != '\'' && *cursor->next != '"'))
        return false;
    char quote = *cursor->next++;
    while (cursor->next < cursor->end && *cursor->next != quote) {
        unsigned char c = (unsigned char)*cursor->next++;

        if (c < 0x20 || c > 0x7e || c == '\\' || length + 1 == text_size)
            return false;
        text[length++] = (char)c;
    }
    text[length] = '\0';
    return take(cursor, quote);
}

static bool take_integer(struct cursor *cursor, uint64_t *value)
{
    const char *start;

    skip_space(cursor);
    start = cursor->next;
    *value = 0;
    while (cursor->next < cursor->end && *cursor->next >= '0' &&
           *cursor->next <= '9') {
        uint64_t digit = (uint64_t)(*cursor->next - '0');

        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
        cursor->next++;
    }
    return cursor->next > start;
}

static const char *parse_descr(struct cursor *cursor, struct npy_header *header)
{
    struct cursor before = *cursor;

    if (take_string(cursor, header->descr, sizeof(header->descr)))
        return NULL;
    *cursor = before;
    if (take(cursor, '['))
        return "has a 'descr' of several fields; one number type is wanted";
    return "has a malformed 'descr'";
}

static const char *parse_shape(struct cursor *cursor, struct npy_header *header)
{
    bool comma = false;

    if (!take(cursor, '('))
        return "has a 'shape' that is not a tuple";
    header->dimensions = 0;
    while (!take(cursor, ')')) {
        if (header->dimensions > 0 && !comma)
            return "has a malformed 'shape'";
        if (header->dimensions == NPY_MAX_DIMENSIONS)
            return "has a 'shape' of more than 32 dimensions";
        if (!take_integer(cursor, &header->shape[header->dimensions]))
            return "has a 'shape' with something other than sizes below 2^64";
        header->dimensions++;
        comma = take(cursor, ',');
    }
    /* To Python, (3) is a number and no tuple. */
    if (header->dimensions == 1 && !comma)
        return "has a 'shape' that is not a tuple";
    return NULL;
}

static const char *parse_order(struct cursor *cursor, struct npy_header *header)
{
    header->fortran_order = take_word(cursor, "True");
    if (!header->fortran_order && !take_word(cursor, "False"))
        return "has a 'fortran_order' that is neither True nor False";
    return NULL;
}

static const struct {
    const char *name;
    const char *missing;
    const char *(*parse)(struct cursor *cursor, struct npy_header *header);
} keys[] = {
    {"descr", "has no 'descr'", parse_descr},
    {"fortran_order", "has no 'fortran_order'", parse_order},
    {"shape", "has no 'shape'", parse_shape},
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

static const char *parse_entry(struct cursor *cursor, bool *seen,
                               struct npy_header *header)
{
    char name[sizeof("fortran_order")];

    if (!take_string(cursor, name, sizeof(name)))
        return "has a key that is none of descr, fortran_order and shape";
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (strcmp(name, keys[i].name) != 0)
            continue;
        if (seen[i])
            return "has a key twice";
        seen[i] = true;
        if (!take(cursor, ':'))
            return "has a key without a value";
        return keys[i].parse(cursor, header);
    }
    return "has a key that is none of descr, fortran_order and shape";
}

const char *npy_header_parse(const char *text, size_t size,
                             struct npy_header *header)
{
    struct cursor cursor = {text, text + size};
    bool seen[KEY_COUNT] = {false};
    bool comma = true;

    if (!take(&cursor, '{'))
        return "is not a Python dict";
    while (!take(&cursor, '}')) {
        if (!comma)
            return "is not a Python dict";
        const char *fault = parse_entry(&cursor, seen, header);
        if (fault)
            return fault;
        comma = take(&cursor, ',');
    }
    skip_space(&cursor);
    if (cursor.next != cursor.end)
        return "has something after its dict";
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (!seen[i])
            return keys[i].missing;
    return NULL;
}
