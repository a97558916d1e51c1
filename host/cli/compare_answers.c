/*
 * compare_answers.c - whether two answers are the same, bit for bit
 */

#include "compare_answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum field_type { FIELD_INT, FIELD_FLOAT, FIELD_WORD, FIELD_BYTE };

static const size_t type_bytes[] = {
    [FIELD_INT] = sizeof(int32_t),
    [FIELD_FLOAT] = sizeof(float),
    [FIELD_WORD] = sizeof(uint64_t),
    [FIELD_BYTE] = sizeof(uint8_t),
};

/* Every array of struct answers. */
static const struct field {
    const char *name;
    enum field_type type;
    bool list; /* top_n entries a row */
    size_t offset;
} fields[] = {
    {"status", FIELD_BYTE, false, offsetof(struct answers, status)},
    {"token", FIELD_INT, false, offsetof(struct answers, token)},
    {"n_kept", FIELD_INT, false, offsetof(struct answers, n_kept)},
    {"weight_sum", FIELD_WORD, false, offsetof(struct answers, weight_sum)},
    {"logprob", FIELD_FLOAT, false, offsetof(struct answers, logprob)},
    {"raw_logprob", FIELD_FLOAT, false, offsetof(struct answers, raw_logprob)},
    {"rank", FIELD_INT, false, offsetof(struct answers, rank)},
    {"top_tokens", FIELD_INT, true, offsetof(struct answers, top_tokens)},
    {"top_logprobs", FIELD_FLOAT, true, offsetof(struct answers, top_logprobs)},
    {"raw top_tokens", FIELD_INT, true,
     offsetof(struct answers, raw_top_tokens)},
    {"raw top_logprobs", FIELD_FLOAT, true,
     offsetof(struct answers, raw_top_logprobs)},
};

#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

/* The first byte of a field's entries for a row; NULL: it has none. */
static char *entries(const struct answers *answers, const struct field *field,
                     int32_t row)
{
    char *array;
    size_t stride = field->list ? (size_t)answers->top_n : 1;

    memcpy(&array, (const char *)answers + field->offset, sizeof(array));
    return array ? array + (size_t)row * stride * type_bytes[field->type]
                 : NULL;
}

static size_t entry_count(const struct answers *answers,
                          const struct field *field)
{
    return field->list ? (size_t)answers->top_n : 1;
}

void answers_copy(const struct answers *from, int32_t from_row,
                  struct answers *to, int32_t to_row)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const char *source = entries(from, &fields[i], from_row);

        if (source)
            memcpy(entries(to, &fields[i], to_row), source,
                   entry_count(from, &fields[i]) * type_bytes[fields[i].type]);
    }
}

static void describe(enum field_type type, const char *entry, char text[40])
{
    int32_t integer;
    uint32_t bits;
    uint64_t word;
    float value;

    switch (type) {
    case FIELD_INT:
        memcpy(&integer, entry, sizeof(integer));
        snprintf(text, 40, "%" PRId32, integer);
        break;
    case FIELD_FLOAT:
        memcpy(&value, entry, sizeof(value));
        memcpy(&bits, entry, sizeof(bits));
        snprintf(text, 40, "%.9g (%08" PRIx32 ")", (double)value, bits);
        break;
    case FIELD_WORD:
        memcpy(&word, entry, sizeof(word));
        snprintf(text, 40, "%" PRIu64, word);
        break;
    case FIELD_BYTE:
        snprintf(text, 40, "%s", row_status_name((uint8_t)*entry));
        break;
    }
}

bool answers_equal(const struct answers *expected, int32_t expected_row,
                   const struct answers *got, int32_t got_row,
                   struct difference *difference)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const struct field *field = &fields[i];
        const char *left = entries(expected, field, expected_row);
        const char *right = entries(got, field, got_row);
        size_t bytes = type_bytes[field->type];

        for (size_t n = 0; left && n < entry_count(expected, field); n++) {
            if (memcmp(left + n * bytes, right + n * bytes, bytes) == 0)
                continue;
            difference->field = field->name;
            difference->place = field->list ? (int32_t)n : -1;
            describe(field->type, left + n * bytes, difference->expected);
            describe(field->type, right + n * bytes, difference->got);
            return false;
        }
    }
    return true;
}
