/*
 * scan.c - take a line of "name=value" fields apart
 */

#include "scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a message quotes of a text at most. */
#define QUOTED_BYTES 40

bool scan_fail(struct scan *scan, const char *name, const char *wrong)
{
    if (scan->failed)
        return false;
    scan->failed = true;
    if (name != NULL)
        snprintf(scan->error, SCAN_ERROR_BYTES, "line %zu: %s: %s", scan->line,
                 name, wrong);
    else
        snprintf(scan->error, SCAN_ERROR_BYTES, "line %zu: %s", scan->line,
                 wrong);
    return false;
}

bool scan_refuse(struct scan *scan, struct text text, const char *wanted)
{
    char quoted[QUOTED_BYTES + 1];
    char wrong[QUOTED_BYTES + 120];
    size_t shown = text.length < QUOTED_BYTES ? text.length : QUOTED_BYTES;

    for (size_t i = 0; i < shown; i++) {
        char byte = text.bytes[i];
        quoted[i] = byte >= ' ' && byte <= '~' ? byte : '?';
    }
    quoted[shown] = '\0';
    snprintf(wrong, sizeof(wrong), "\"%s%s\" is not %s", quoted,
             shown < text.length ? "..." : "", wanted);
    return scan_fail(scan, scan->name, wrong);
}

struct text text_take(struct text *rest, char separator)
{
    struct text taken = *rest;
    const char *found = NULL;

    if (rest->length > 0)
        found = memchr(rest->bytes, separator, rest->length);
    if (found == NULL) {
        rest->bytes += rest->length;
        rest->length = 0;
        return taken;
    }
    taken.length = (size_t)(found - rest->bytes);
    rest->bytes += taken.length + 1;
    rest->length -= taken.length + 1;
    return taken;
}

bool text_is(struct text text, const char *word)
{
    return text.length == strlen(word) &&
           memcmp(text.bytes, word, text.length) == 0;
}

size_t text_items(struct text list)
{
    size_t items = list.length > 0;

    for (size_t i = 0; i < list.length; i++)
        items += list.bytes[i] == ',';
    return items;
}

bool text_hex(struct text text, size_t least_digits, size_t most_digits,
              uint64_t *value)
{
    uint64_t number = 0;

    if (text.length < least_digits || text.length > most_digits)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        char digit = text.bytes[i];
        if (digit >= '0' && digit <= '9')
            number = number << 4 | (uint64_t)(digit - '0');
        else if (digit >= 'a' && digit <= 'f')
            number = number << 4 | (uint64_t)(digit - 'a' + 10);
        else
            return false;
    }
    *value = number;
    return true;
}

bool text_unsigned(struct text text, uint64_t maximum, uint64_t *value)
{
    uint64_t number = 0;

    if (text.length == 0)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(text.bytes[i] - '0');
        if (digit > maximum || number > (maximum - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *value = number;
    return true;
}

bool text_integer(struct text text, int32_t minimum, int32_t maximum,
                  int32_t *value)
{
    bool negative = text.length > 0 && text.bytes[0] == '-' && minimum < 0;
    uint64_t magnitude;

    if (negative) {
        text.bytes++;
        text.length--;
    }
    if (!text_unsigned(text, UINT64_C(1) << 31, &magnitude))
        return false;
    int64_t number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    if (number < minimum || number > maximum)
        return false;
    *value = (int32_t)number;
    return true;
}

bool text_decimal(struct text text, double minimum, double maximum,
                  double *value)
{
    char digits[64];
    size_t points = 0;
    bool digit_before = false;

    if (text.length == 0 || text.length >= sizeof(digits))
        return false;
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];
        bool digit = byte >= '0' && byte <= '9';
        bool sign = byte == '-' && i == 0;
        bool point = byte == '.' && digit_before && points++ == 0;
        if (!digit && !sign && !point)
            return false;
        digit_before = digit;
    }
    if (!digit_before)
        return false;
    memcpy(digits, text.bytes, text.length);
    digits[text.length] = '\0';
    double number = strtod(digits, NULL);
    if (number < minimum || number > maximum)
        return false;
    *value = number;
    return true;
}

struct text scan_word(struct scan *scan)
{
    struct text word = scan->rest;
    const char *space = NULL;

    if (word.length > 0)
        space = memchr(word.bytes, ' ', word.length);
    if (space != NULL)
        word.length = (size_t)(space - word.bytes);
    scan->rest.bytes += word.length;
    scan->rest.length -= word.length;
    return word;
}

bool scan_field(struct scan *scan, const char *name)
{
    if (scan->failed)
        return false;
    scan->name = name;
    if (scan->rest.length == 0)
        return scan_fail(scan, name, "is missing");

    /* The space before it. */
    scan->rest.bytes++;
    scan->rest.length--;
    struct text field = scan_word(scan);
    size_t length = strlen(name);
    if (field.length <= length || memcmp(field.bytes, name, length) != 0 ||
        field.bytes[length] != '=')
        return scan_refuse(scan, field, "this field");
    scan->value.bytes = field.bytes + length + 1;
    scan->value.length = field.length - length - 1;
    return true;
}

bool scan_end(struct scan *scan)
{
    if (scan->failed)
        return false;
    if (scan->rest.length == 0)
        return true;
    scan->name = "end";
    return scan_refuse(scan, scan->rest, "the end of the line");
}

bool scan_hex(struct scan *scan, const char *name, size_t digits,
              uint64_t *value)
{
    char wanted[64];

    if (!scan_field(scan, name))
        return false;
    if (text_hex(scan->value, digits, digits, value))
        return true;
    snprintf(wanted, sizeof(wanted), "%zu lower-case hexadecimal digits",
             digits);
    return scan_refuse(scan, scan->value, wanted);
}

bool scan_unsigned(struct scan *scan, const char *name, uint64_t maximum,
                   uint64_t *value)
{
    char wanted[64];

    if (!scan_field(scan, name))
        return false;
    if (text_unsigned(scan->value, maximum, value))
        return true;
    snprintf(wanted, sizeof(wanted), "a whole number in [0, %" PRIu64 "]",
             maximum);
    return scan_refuse(scan, scan->value, wanted);
}

bool scan_integer(struct scan *scan, const char *name, int32_t minimum,
                  int32_t maximum, int32_t *value)
{
    char wanted[64];

    if (!scan_field(scan, name))
        return false;
    if (text_integer(scan->value, minimum, maximum, value))
        return true;
    snprintf(wanted, sizeof(wanted),
             "a whole number in [%" PRId32 ", %" PRId32 "]", minimum, maximum);
    return scan_refuse(scan, scan->value, wanted);
}
