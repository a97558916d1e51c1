/*
 * outside.h - run what a user would run: compilers, nm, programs
 */

#ifndef TESSERA_TESTS_OUTSIDE_H
#define TESSERA_TESTS_OUTSIDE_H

/* Runs a shell command and returns its exit status, -1 if it was killed.  What
 * it printed, both streams in one, is in *output, from the heap. */
__attribute__((format(printf, 2, 3))) int run_outside(char **output,
                                                      const char *format, ...);

/* A whole file, from the heap, with a terminating 0.  Fails the test. */
char *read_text(const char *path);

#endif
