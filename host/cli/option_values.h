/*
 * option_values.h - read and check the value of one option
 *
 * Each returns whether the value was good; if not, it has reported the line
 * that names the option, the value and its range.
 */

#ifndef TESSERA_CLI_OPTION_VALUES_H
#define TESSERA_CLI_OPTION_VALUES_H

#include "list.h"
#include "options.h"

/* A whole number; the name is "--draws". */
bool option_integer(const char *name, const char *text, int64_t least,
                    int64_t most, int64_t *value);

/* A name of a backend. */
bool option_backend(const char *text, struct backend_choice *choice);

/* A name of a plan of the backend cuda. */
bool option_plan(const char *text, struct backend_choice *choice);

/* An option whose value is a whole number. */
struct number_option {
    int key;
    const char *name; /* "--draws"; NULL ends a table */
    int64_t least;
    int64_t most;
    size_t offset; /* of an int64_t in struct options */
};

bool option_number(const struct number_option *table, int key, const char *text,
                   struct options *options);

/* The parameter with this index of tessera_parameter_info(). */
bool option_parameter(size_t index, const char *text,
                      struct tessera_params *params);

/* "ID:VALUE", added to the list of struct tessera_bias. */
bool option_bias(const char *text, struct list *biases);

/* "ID", added to the list of int32_t. */
bool option_ban(const char *text, struct list *bans);

#endif
