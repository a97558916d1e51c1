/*
 * scan.h - take a line of "name=value" fields apart
 *
 * Nothing here reads outside the line, whatever its bytes.  The first thing
 * that is wrong is kept as one line of text; later calls then do nothing.
 */

#ifndef TESSERA_CLI_SCAN_H
#define TESSERA_CLI_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_ERROR_BYTES 256

/* A piece of the line; not terminated. */
struct text {
    const char *bytes;
    size_t length;
};

struct scan {
    struct text rest; /* of the line; a field that follows starts with ' ' */
    size_t line;      /* its number, for messages */
    const char *name; /* the field being read */
    struct text value;
    bool failed;
    char *error; /* [SCAN_ERROR_BYTES], written by the first failure */
};

/* Notes what is wrong with the line, and with which field if name is not NULL.
 * Returns false. */
bool scan_fail(struct scan *scan, const char *name, const char *wrong);

/* Notes that 'text', part of the current field, is not 'wanted'.  Returns
 * false. */
bool scan_refuse(struct scan *scan, struct text text, const char *wanted);

/* Takes the line's first word. */
struct text scan_word(struct scan *scan);

/* Takes the next field, which must have this name, into scan->value. */
bool scan_field(struct scan *scan, const char *name);

/* Notes what stands after the last field. */
bool scan_end(struct scan *scan);

bool text_is(struct text text, const char *word);

/* How many items a list has, separated by commas: none if it is empty. */
size_t text_items(struct text list);

/* Takes what is before the separator, or everything if there is none. */
struct text text_take(struct text *rest, char separator);

/* Numbers, which must fill the text: lower-case hexadecimal of so many digits;
 * decimal, without sign unless minimum is negative; decimal with a fraction
 * and a sign.  False: text is none, or out of range. */
bool text_hex(struct text text, size_t least_digits, size_t most_digits,
              uint64_t *value);
bool text_unsigned(struct text text, uint64_t maximum, uint64_t *value);
bool text_integer(struct text text, int32_t minimum, int32_t maximum,
                  int32_t *value);
bool text_decimal(struct text text, double minimum, double maximum,
                  double *value);

/* Likewise for the next field's whole value, noting what is wrong. */
bool scan_hex(struct scan *scan, const char *name, size_t digits,
              uint64_t *value);
bool scan_unsigned(struct scan *scan, const char *name, uint64_t maximum,
                   uint64_t *value);
bool scan_integer(struct scan *scan, const char *name, int32_t minimum,
                  int32_t maximum, int32_t *value);

#endif
