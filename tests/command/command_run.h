/*
 * command_run.h - run the tessera command in a folder of files made for it
 */

#ifndef TESSERA_TESTS_COMMAND_RUN_H
#define TESSERA_TESTS_COMMAND_RUN_H

#include <jansson.h>

#include <stdbool.h>
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

/* Likewise, for a run that must succeed and say nothing on standard error;
 * gives what it printed. */
__attribute__((format(printf, 1, 2))) const char *succeed(const char *arguments,
                                                          ...);

size_t count_lines(const char *text);
bool holds(const char *text, const char *phrase);

/* Fails the test if a line is longer, in bytes. */
void expect_columns(const char *text, size_t most);

/* two.npy, of these logits: [2, 4] float32. */
extern const float two_rows[8];
void make_two_rows(void);

/* The object on line 'number', from 0; and what it must hold. */
json_t *object_of(const char *text, size_t number);
json_int_t integer_in(const json_t *object, const char *key);
const char *string_in(const json_t *object, const char *key);
bool is_null(const json_t *value);

#endif
