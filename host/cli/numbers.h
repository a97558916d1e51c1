/*
 * numbers.h - numbers as people type them, read strictly
 *
 * The whole text must be the number: no space before or after it, no other
 * base than said, nothing that does not fit its type.  A float is read as a
 * binary64, so that a value means the same on the command line and in JSON.
 * The command never sets LC_NUMERIC: the decimal sign is always a point.
 */

#ifndef TESSERA_CLI_NUMBERS_H
#define TESSERA_CLI_NUMBERS_H

#include <stdint.h>

enum number_status {
    NUMBER_OK,
    NUMBER_MALFORMED,
    NUMBER_TOO_LARGE /* a number, but not one of the type; on either side */
};

/* Decimal or hexadecimal (0x1.8p0); not infinite, not NaN. */
enum number_status number_real(const char *text, double *value);

/* Decimal, with a - if negative. */
enum number_status number_integer(const char *text, int64_t *value);

/* Decimal, or hexadecimal after 0x. */
enum number_status number_word(const char *text, uint64_t *value);

#endif
