/*
 * json_output.h - answers as JSON, an object a line
 *
 * NULL stands for a failed allocation and may be passed on: json_put() then
 * answers false, and json_print() reports it.
 */

#ifndef TESSERA_CLI_JSON_OUTPUT_H
#define TESSERA_CLI_JSON_OUTPUT_H

#include "backends.h"
#include "token_texts.h"

#include <jansson.h>

#include <stdbool.h>

/* Sets a key; takes the value.  False: something was NULL. */
bool json_put(json_t *object, const char *key, json_t *value);

/* A finite number; null for -inf, which JSON has not. */
json_t *json_of_real(double value);

/* A word below 2^63 is a number, a larger one a string, "0x...": many readers
 * keep no more bits of a number. */
json_t *json_of_word(uint64_t value);

/* Puts "token" and, where it has one, "text". */
bool json_put_token(json_t *object, int32_t token,
                    const struct token_texts *texts);

/* Puts "backend" and "plan": null where none was chosen. */
bool json_put_backend(json_t *object, const struct backend_choice *backend);

/* The value if it is whole; if not, it is freed. */
json_t *json_whole(json_t *value, bool good);

/* The text of any value, with the flags of json_dumps(); for the caller to
 * free.  NULL: no memory. */
char *json_text(const json_t *value, size_t flags);

/* Prints the object on a line and frees it.  CLI_OK, or the status of the line
 * reported: no memory.  A full disk is found when the command ends. */
int json_print(json_t *object);

#endif
