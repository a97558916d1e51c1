/*
 * params_file.c - what single rows ask for: a file with an object a line
 */

#include "params_file.h"

#include "cli.h"

#include <stdio.h>
#include <string.h>

/* All lines are counted, so that the message can name both numbers. */
static int read_lines(const char *path, FILE *file, struct row_lists *lists,
                      struct row_request *row, size_t rows)
{
    char *line = NULL;
    size_t line_size = 0;
    size_t count = 0;
    int status = CLI_OK;
    ssize_t length;

    while (status == CLI_OK &&
           (length = getline(&line, &line_size, file)) > 0) {
        char message[256];

        if (count++ >= rows)
            continue;
        status = params_line_read(line, (size_t)length, lists, &row[count - 1],
                                  message, sizeof(message));
        if (status != CLI_OK)
            report((enum cli_exit)status, "%s:%zu: %s", path, count, message);
    }
    free(line);
    if (status != CLI_OK)
        return status;
    if (!feof(file))
        return report_file(path);
    if (count != rows)
        return report(CLI_USAGE,
                      "%s: its number of lines is %zu; the logits have %zu "
                      "rows, which take an object each",
                      path, count, rows);
    return CLI_OK;
}

int params_file_read(const char *path, struct row_lists *lists,
                     struct row_request *row, size_t rows)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return report_file(path);
    int status = read_lines(path, file, lists, row, rows);
    fclose(file);
    return status;
}
