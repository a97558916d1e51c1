/*
 * set_parameter.h - set a field of struct tessera_params by its description
 *
 * The library's table of parameters decides names, types and ranges, on the
 * command line and in files alike.
 */

#ifndef TESSERA_CLI_SET_PARAMETER_H
#define TESSERA_CLI_SET_PARAMETER_H

#include "numbers.h"

#include <tessera.h>

#include <stdbool.h>

/* "top_p"; NULL: there is none of this name. */
const struct tessera_parameter *parameter_named(const char *name);

/* For a FLOAT, an INT and a BOOL.  False: out of its range, and not set. */
bool parameter_set_number(struct tessera_params *params,
                          const struct tessera_parameter *parameter,
                          double value);

/* For a WORD. */
bool parameter_set_word(struct tessera_params *params,
                        const struct tessera_parameter *parameter,
                        uint64_t value);

/* From what was typed: NUMBER_TOO_LARGE is out of its range on either side. */
enum number_status parameter_set_text(struct tessera_params *params,
                                      const struct tessera_parameter *parameter,
                                      const char *text);

#endif
