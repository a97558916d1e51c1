/*
 * numbers.c - numbers as people type them, read strictly
 */

#include "numbers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

enum number_status number_real(const char *text, double *value)
{
    const char *digits = text + (*text == '-');
    char *end;

    /* strtod() would skip spaces and take "inf" and "nan". */
    if (!is_digit(digits[0]) && !(digits[0] == '.' && is_digit(digits[1])))
        return NUMBER_MALFORMED;
    *value = strtod(text, &end);
    if (*end != '\0')
        return NUMBER_MALFORMED;
    return isfinite(*value) ? NUMBER_OK : NUMBER_TOO_LARGE;
}

enum number_status number_integer(const char *text, int64_t *value)
{
    const char *digits = text + (*text == '-');
    char *end;

    if (!is_digit(*digits))
        return NUMBER_MALFORMED;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (*end != '\0')
        return NUMBER_MALFORMED;
    *value = number;
    return errno == ERANGE ? NUMBER_TOO_LARGE : NUMBER_OK;
}

enum number_status number_word(const char *text, uint64_t *value)
{
    int hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hexadecimal ? text + 2 : text;
    const char *allowed = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    size_t length = strspn(digits, allowed);

    if (text[0] == '-' && is_digit(text[1]) &&
        text[1 + strspn(text + 1, "0123456789")] == '\0')
        return NUMBER_TOO_LARGE; /* below the range of any word */
    if (length == 0 || digits[length] != '\0')
        return NUMBER_MALFORMED;
    errno = 0;
    *value = strtoull(digits, NULL, hexadecimal ? 16 : 10);
    return errno == ERANGE ? NUMBER_TOO_LARGE : NUMBER_OK;
}
