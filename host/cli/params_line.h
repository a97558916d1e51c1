/*
 * params_line.h - what the readers of one line's values share
 */

#ifndef TESSERA_CLI_PARAMS_LINE_H
#define TESSERA_CLI_PARAMS_LINE_H

#include "rows.h"

#include <jansson.h>

/* A line being read. */
struct params_line {
    struct row_lists *lists;
    struct row_request *row;
    char *message;
    size_t message_size;
};

/* Each sets the message and returns the status to end with: CLI_USAGE, but
 * CLI_FAILED of params_no_memory(). */
int params_fail(struct params_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int params_no_memory(struct params_line *line);

/* "key"part is value; wanted.  'part' says where in the value of the key, ""
 * or " entry 3"; the range is that of this part. */
int params_fail_value(struct params_line *line, const char *key,
                      const char *part, const json_t *value,
                      const char *wanted);
int params_fail_range(struct params_line *line, const char *key,
                      const char *part, const json_t *value, const char *range);

/* Reads the value of one key; CLI_OK, or the status of a failure. */
typedef int params_reader(struct params_line *line, const char *key,
                          json_t *value);

params_reader params_read_history;
params_reader params_read_prompt_tokens;
params_reader params_read_bias;
params_reader params_read_ban;

#endif
