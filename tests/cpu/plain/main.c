/*
 * main.c - run the tests that plain/criterion/criterion.h gathered
 *
 *     main [SUITE ...]    all of them, or those of these suites
 */

#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100 };

static struct {
    const char *suite;
    const char *name;
    void (*run)(void);
} tests[MOST];
static int count;

void plain_test(const char *suite, const char *name, void (*run)(void))
{
    if (count == MOST)
        abort();
    tests[count].suite = suite;
    tests[count].name = name;
    tests[count++].run = run;
}

void plain_assert(const char *file, int line, bool condition,
                  const char *format, ...)
{
    va_list arguments;

    if (condition)
        return;
    va_start(arguments, format);
    printf("%s:%d: ", file, line);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    exit(1);
}

int main(int argc, char **argv)
{
    int passed = 0;

    for (int i = 0; i < count; i++) {
        bool wanted = argc == 1;

        for (int j = 1; j < argc; j++)
            wanted = wanted || strcmp(argv[j], tests[i].suite) == 0;
        if (!wanted)
            continue;
        printf("%s/%s\n", tests[i].suite, tests[i].name);
        fflush(stdout);
        tests[i].run();
        passed++;
    }
    printf("%d passed\n", passed);
    return passed > 0 ? 0 : 1;
}
