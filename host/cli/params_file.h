/*
 * params_file.h - what single rows ask for: a file with an object a line
 *
 * Line i is for row i and overrides what was asked of every row.  Keys are the
 * names of the parameters, and
 *
 *     history        [5, 17, ...]: token ids, 32-bit integers
 *     prompt_tokens  how many of them, from the first, are the prompt
 *     bias           {"17": 2.5, "9": "-inf"} or [[17, 2.5], [9, "-inf"]]
 *     ban            [3, 4]: token ids
 *
 * seed and stream may also be strings, "0x1f" or decimal: a JSON reader keeps
 * no more than 63 bits of a number.
 */

#ifndef TESSERA_CLI_PARAMS_FILE_H
#define TESSERA_CLI_PARAMS_FILE_H

#include "rows.h"

/* Reads a line into *row, and its lists into 'lists'.  CLI_OK; if not,
 * CLI_USAGE or, without memory, CLI_FAILED, and the message is set: one line
 * without its end, to follow the line's number. */
int params_line_read(const char *line, size_t length, struct row_lists *lists,
                     struct row_request *row, char *message,
                     size_t message_size);

/* Reads a file with exactly 'rows' lines.  CLI_OK, or the status of the line
 * reported. */
int params_file_read(const char *path, struct row_lists *lists,
                     struct row_request *row, size_t rows);

#endif
