/*
 * criterion.h - as much of Criterion as tests/cpu needs, in one process
 *
 * For machines that Criterion is not packaged for, such as one that qemu plays:
 * tests/cpu/aarch64 puts this folder in Criterion's place.  A test that fails
 * ends the program.
 */

#ifndef TESSERA_TESTS_PLAIN_CRITERION_H
#define TESSERA_TESTS_PLAIN_CRITERION_H

#include <stdbool.h>

/* Adds a test to those that main() runs. */
void plain_test(const char *suite, const char *name, void (*run)(void));

#define Test(suite, name)                                                      \
    static void suite##_##name(void);                                          \
    __attribute__((constructor)) static void suite##_##name##_add(void)        \
    {                                                                          \
        plain_test(#suite, #name, suite##_##name);                             \
    }                                                                          \
    static void suite##_##name(void)

/* Ends the program, with what the test says of it, unless the condition holds.
 */
void plain_assert(const char *file, int line, bool condition,
                  const char *format, ...);

#define cr_assert(...) plain_assert(__FILE__, __LINE__, __VA_ARGS__, "")

#endif
