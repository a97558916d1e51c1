/*
 * readme.c - what README says is so
 */

#include "outside.h"

#include <tessera.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the n-th block of C, from 0, to a file.  False: there is none. */
static bool write_example(int n, const char *path)
{
    char *text = read_text(SOURCE_DIR "/README.md");
    char *start = text;

    for (int i = 0; i <= n && start; i++) {
        start = strstr(start, "```c\n");
        start = start ? start + strlen("```c\n") : NULL;
    }
    if (!start) {
        free(text);
        return false;
    }
    char *end = strstr(start, "```");
    cr_assert(end != NULL);

    FILE *file = fopen(path, "w");
    cr_assert(file != NULL);
    cr_assert(fwrite(start, 1, (size_t)(end - start), file) ==
              (size_t)(end - start));
    fclose(file);
    free(text);
    return true;
}

/* What the examples print, in their order. */
static const char *const printed[] = {
    "token 1\n",
    "row 0: 4 4 4 4\nrow 1: 1 0 0 0\n",
};

/* Compiles the examples against the header and the library of the build tree
 * as a stranger would, and runs them. */
static void examples_run(const char *compiler, const char *extension)
{
    char folder[] = "/tmp/tessera-readme-XXXXXX";
    char source[64];
    int examples = 0;

    cr_assert(mkdtemp(folder) != NULL);
    snprintf(source, sizeof(source), "%s/example.%s", folder, extension);
    while (write_example(examples, source)) {
        char *output;
        int status = run_outside(
            &output,
            "%s -Wall -Wextra -Wpedantic -Werror " SANITIZE_FLAGS
            " -I" SOURCE_DIR "/include %s -L" LIBRARY_DIR
            " -ltessera -Wl,-rpath," LIBRARY_DIR " -o %s/example && %s/example",
            compiler, source, folder, folder);

        cr_assert(status == 0, "%s: %s", compiler, output);
        cr_assert(eq(str, output, (char *)printed[examples]));
        free(output);
        examples++;
    }
    cr_assert(eq(int, examples, 2));
    run_outside(NULL, "rm -r %s", folder);
}

Test(readme, examples_compile_as_c11_and_draw_tokens)
{
    examples_run(C_COMPILER " -std=c11", "c");
}

Test(readme, examples_compile_as_cxx17_and_draw_tokens)
{
    examples_run(CXX_COMPILER " -std=c++17", "cpp");
}

Test(readme, has_every_parameter_with_its_range_off_value_and_default)
{
    char *text = read_text(SOURCE_DIR "/README.md");
    const struct tessera_parameter *parameter;

    for (size_t i = 0; (parameter = tessera_parameter_info(i)) != NULL; i++) {
        char line[256];

        snprintf(line, sizeof(line), "| `%s` | %s |%s%s | %g | %s |\n",
                 parameter->name, parameter->range, *parameter->off ? " " : "",
                 parameter->off, parameter->initial, parameter->summary);
        cr_assert(strstr(text, line) != NULL, "README lacks the line\n%s",
                  line);
    }
    free(text);
}

/* The initializer stands in the header, the default in the table. */
Test(readme, table_has_the_initializers_values)
{
    struct tessera_params params = TESSERA_PARAMS_INIT;
    const struct tessera_parameter *parameter;

    for (size_t i = 0; (parameter = tessera_parameter_info(i)) != NULL; i++) {
        const void *field = (const char *)&params + parameter->offset;
        double value = parameter->type == TESSERA_PARAMETER_FLOAT
                           ? *(const float *)field
                       : parameter->type == TESSERA_PARAMETER_WORD
                           ? (double)*(const uint64_t *)field
                           : *(const int32_t *)field;

        cr_assert(value == parameter->initial, "%s", parameter->name);
    }
}
