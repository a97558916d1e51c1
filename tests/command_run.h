/*
 * command_run.h - run the tessera command in a folder of files made for it
 */

#ifndef TESSERA_TESTS_COMMAND_RUN_H
#define TESSERA_TESTS_COMMAND_RUN_H

#include <stddef.h>

/* For TestSuite(): an empty folder for each test, gone after it. */
void command_start(void);
void command_end(void);

/* Files in that folder. */
void make_file(const char *name, const void *bytes, size_t size);
void make_text(const char *name, const char *text);

/* A .npy file of format 1.0; shape is "(2, 3)", type "<f4". */
void make_npy(const char *name, const char *type, const char *shape,
              const void *data, size_t size);

/* Runs a shell command in that folder; it must succeed. */
void in_folder(const char *shell);

struct outcome {
    int status; /* the exit status; -1: killed */
    char *out;
    char *err;
};

/* Runs the command in that folder, with arguments as a shell reads them. */
__attribute__((format(printf, 1, 2))) struct outcome
command(const char *arguments, ...);

size_t count_lines(const char *text);

#endif
