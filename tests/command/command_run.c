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

static struct outcome run(const char *arguments, va_list values)
{
    struct outcome outcome;
    char *text;

    cr_assert(vasprintf(&text, arguments, values) >= 0);
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

struct outcome command(const char *arguments, ...)
{
    va_list values;

    va_start(values, arguments);
    struct outcome outcome = run(arguments, values);
    va_end(values);
    return outcome;
}

const char *succeed(const char *arguments, ...)
{
    va_list values;

    va_start(values, arguments);
    struct outcome outcome = run(arguments, values);
    va_end(values);
    cr_assert(outcome.status == 0 && outcome.err[0] == '\0', "%s: %d\n%s",
              arguments, outcome.status, outcome.err);
    return outcome.out;
}

size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

bool holds(const char *text, const char *phrase)
{
    return strstr(text, phrase) != NULL;
}

void expect_columns(const char *text, size_t most)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        cr_assert(length <= most, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

const float two_rows[8] = {1, 2, 3, 4, 4, 3, 2, 1};

void make_two_rows(void)
{
    make_npy("two.npy", "<f4", "(2, 4)", two_rows, sizeof(two_rows));
}

json_t *object_of(const char *text, size_t number)
{
    json_error_t error;

    for (; number > 0 && text; number--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    cr_assert(text != NULL);
    json_t *object = json_loads(text, JSON_DISABLE_EOF_CHECK, &error);
    cr_assert(object != NULL, "%s: %s", error.text, text);
    return object;
}

static const json_t *value_in(const json_t *object, const char *key,
                              json_type type)
{
    const json_t *value = json_object_get(object, key);

    cr_assert(value != NULL, "no %s", key);
    cr_assert(json_typeof(value) == type, "%s is of another type", key);
    return value;
}

json_int_t integer_in(const json_t *object, const char *key)
{
    return json_integer_value(value_in(object, key, JSON_INTEGER));
}

const char *string_in(const json_t *object, const char *key)
{
    return json_string_value(value_in(object, key, JSON_STRING));
}

bool is_null(const json_t *value)
{
    return json_is_null(value);
}
