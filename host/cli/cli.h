/*
 * cli.h - what the parts of the tessera command share
 *
 * The command ends with 0; with 1 when something failed that the arguments do
 * not explain (a difference found, memory, a full disk); with 2 when an
 * argument, a parameter or a file given is at fault, after exactly one line on
 * standard error that names it.
 */

#ifndef TESSERA_CLI_H
#define TESSERA_CLI_H

#include <tessera.h>

#include <stdbool.h>
#include <stddef.h>

enum cli_exit { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* The subcommands.  argv[0] is the name to show, "tessera sample", and the
 * rest are the arguments after it.  They return the exit status. */
int cmd_sample(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_bench(int argc, char **argv);

/* The name that report() puts in front, "tessera sample"; kept, not copied. */
void report_as(const char *command);

/* Prints "command: message" as one line on standard error, whatever bytes the
 * message holds (control characters are escaped), and returns status. */
int report(enum cli_exit status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The status of the last line reported; CLI_OK before the first. */
enum cli_exit reported_status(void);

/* report() for an allocation that failed: CLI_FAILED. */
int report_memory(void);

/* The status for a file that could not be read: CLI_USAGE, but CLI_FAILED where
 * errno says that memory was short. */
enum cli_exit file_status(void);

/* report() for a file that errno says cannot be read, with that status. */
int report_file(const char *path);

/* report() for a call of the library that failed, with its last error:
 * CLI_FAILED. */
int report_library(enum tessera_status status);

/* Of the names, the one that 'name' may be a slip of; NULL if none is near. */
const char *suggest(const char *name, const char *const *names, size_t count);

#endif
