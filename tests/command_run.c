/*
 * command_run.c - run the tessera command in a folder of files made for it
 */

#include "command_run.h"

#include "npy_bytes.h"
#include "outside.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static const char *command_path(void)
{
    const char *path = getenv("TESSERA_COMMAND");

    return path ? path : TESSERA_COMMAND;
}

void command_start(void)
{
    snprintf(folder, sizeof(folder), "/tmp/tessera-command-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
}

void command_end(void)
{
    run_outside(NULL, "rm -r '%s'", folder);
}

static char *path_of(const char *name)
{
    char *path;

    cr_assert(asprintf(&path, "%s/%s", folder, name) >= 0);
    return path;
}

void make_file(const char *name, const void *bytes, size_t size)
{
    char *path = path_of(name);
    FILE *file = fopen(path, "wb");

    cr_assert(file != NULL, "cannot write %s", path);
    cr_assert(fwrite(bytes, 1, size, file) == size);
    cr_assert(fclose(file) == 0);
    free(path);
}

void make_text(const char *name, const char *text)
{
    make_file(name, text, strlen(text));
}

void make_npy(const char *name, const char *type, const char *shape,
              const void *data, size_t size)
{
    char header[160];
    unsigned char *bytes;

    snprintf(header, sizeof(header),
             "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", type,
             shape);
    size_t total = npy_bytes(1, header, data, size, &bytes);
    make_file(name, bytes, total);
    free(bytes);
}

void in_folder(const char *shell)
{
    cr_assert(run_outside(NULL, "cd '%s' && %s", folder, shell) == 0);
}

struct outcome command(const char *arguments, ...)
{
    struct outcome outcome;
    va_list values;
    char *text;

    va_start(values, arguments);
    cr_assert(vasprintf(&text, arguments, values) >= 0);
    va_end(values);
    /* A command that runs wild must not fill the disk (50 MB). */
    outcome.status = run_outside(NULL,
                                 "cd '%s' && ulimit -f 100000 && "
                                 "( LC_ALL=C '%s' %s ) >out 2>err",
                                 folder, command_path(), text);
    free(text);

    char *out = path_of("out");
    char *err = path_of("err");
    outcome.out = read_text(out);
    outcome.err = read_text(err);
    free(out);
    free(err);
    return outcome;
}

size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}
