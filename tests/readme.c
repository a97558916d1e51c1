/*
 * readme.c - what README says is so
 */

#include "outside.h"

#include <tessera.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the example, README's one block of C, to a file. */
static void write_example(const char *path)
{
    char *text = read_text(SOURCE_DIR "/README.md");
    char *start = strstr(text, "```c\n");

    cr_assert(start != NULL);
    start += strlen("```c\n");
    char *end = strstr(start, "```");
    cr_assert(end != NULL);

    FILE *file = fopen(path, "w");
    cr_assert(file != NULL);
    cr_assert(fwrite(start, 1, (size_t)(end - start), file) ==
              (size_t)(end - start));
    fclose(file);
    free(text);
}

/* Compiles the example against the header and the library of the build tree as
 * a stranger would, and runs it. */
static void draws_a_token(const char *compiler, const char *extension)
{
    char folder[] = "/tmp/tessera-readme-XXXXXX";
    char source[64];
    char *output;

    cr_assert(mkdtemp(folder) != NULL);
    snprintf(source, sizeof(source), "%s/example.%s", folder, extension);
    write_example(source);

    int status = run_outside(
        &output,
        "%s -Wall -Wextra -Wpedantic -Werror " SANITIZE_FLAGS " -I" SOURCE_DIR
        "/include %s -L" LIBRARY_DIR " -ltessera -Wl,-rpath," LIBRARY_DIR
        " -o %s/example && %s/example",
        compiler, source, folder, folder);
    cr_assert(status == 0, "%s: %s", compiler, output);
    cr_assert(eq(str, output, "token 1\n"));
    run_outside(NULL, "rm -r %s", folder);
    free(output);
}

Test(readme, example_compiles_as_c11_and_draws_a_token)
{
    draws_a_token(C_COMPILER " -std=c11", "c");
}

Test(readme, example_compiles_as_cxx17_and_draws_a_token)
{
    draws_a_token(CXX_COMPILER " -std=c++17", "cpp");
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
