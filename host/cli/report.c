/*
 * report.c - the one line on standard error
 */

#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *command_name = "tessera";
static enum cli_exit last_status = CLI_OK;

void report_as(const char *command)
{
    command_name = command;
}

int report(enum cli_exit status, const char *format, ...)
{
    char message[1024];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof(message))
        memcpy(message + sizeof(message) - 4, "...", 4);

    /* Names of files and what the caller typed are any bytes: a newline in
     * one must not make a second line, nor an escape reach the terminal. */
    flockfile(stderr);
    fprintf(stderr, "%s: ", command_name);
    for (const unsigned char *c = (const unsigned char *)message; *c; c++) {
        if (*c < 0x20 || *c == 0x7f)
            fprintf(stderr, "\\x%02x", *c);
        else
            putc(*c, stderr);
    }
    putc('\n', stderr);
    funlockfile(stderr);
    last_status = status;
    return (int)status;
}

enum cli_exit reported_status(void)
{
    return last_status;
}

int report_memory(void)
{
    return report(CLI_FAILED, "out of memory");
}

enum cli_exit file_status(void)
{
    return errno == ENOMEM ? CLI_FAILED : CLI_USAGE;
}

int report_file(const char *path)
{
    return report(file_status(), "%s: %s", path, strerror(errno));
}

int report_library(enum tessera_status status)
{
    return report(CLI_FAILED, "%s: %s", tessera_status_name(status),
                  tessera_last_error());
}
