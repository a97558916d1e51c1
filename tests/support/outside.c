/*
 * outside.c - run what a user would run: compilers, nm, programs
 */

#include "outside.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static char *read_stream(FILE *stream)
{
    size_t size = 0;
    size_t room = 65536;
    char *text = malloc(room);

    while (text) {
        size += fread(text + size, 1, room - 1 - size, stream);
        if (size < room - 1)
            break;
        room *= 2;
        text = realloc(text, room);
    }
    cr_assert(text != NULL);
    text[size] = '\0';
    return text;
}

int run_outside(char **output, const char *format, ...)
{
    char *command;
    va_list arguments;

    va_start(arguments, format);
    cr_assert(vasprintf(&command, format, arguments) >= 0);
    va_end(arguments);

    char *with_errors;
    cr_assert(asprintf(&with_errors, "{ %s ; } 2>&1", command) >= 0);
    FILE *pipe = popen(with_errors, "r");
    cr_assert(pipe != NULL);
    char *text = read_stream(pipe);
    int status = pclose(pipe);
    if (output)
        *output = text;
    else
        free(text);
    free(command);
    free(with_errors);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");

    cr_assert(file != NULL, "cannot open %s", path);
    char *text = read_stream(file);
    fclose(file);
    return text;
}
