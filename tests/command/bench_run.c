/*
 * bench_run.c - run tessera bench within the test's process
 */

#include "bench_run.h"

#include "../../host/cli/cli.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_outcome run_bench(const char *arguments)
{
    struct bench_outcome outcome = {0};
    char *words = strdup(arguments);
    char *argv[32] = {"tessera bench"};
    int argc = 1;
    char *printed = NULL;
    size_t printed_size = 0, said_size = 0;
    FILE *real_out = stdout, *real_err = stderr;

    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    report_as("tessera bench");
    stdout = open_memstream(&printed, &printed_size);
    stderr = open_memstream(&outcome.said, &said_size);
    outcome.status = cmd_bench(argc, argv);
    fclose(stdout);
    fclose(stderr);
    stdout = real_out;
    stderr = real_err;
    for (char *line = strtok(printed, "\n");
         line && outcome.count < BENCH_MOST_OBJECTS; line = strtok(NULL, "\n"))
        outcome.objects[outcome.count++] = json_loads(line, 0, NULL);
    free(printed);
    free(words);
    return outcome;
}

void bench_outcome_free(struct bench_outcome *outcome)
{
    for (size_t i = 0; i < outcome->count; i++)
        json_decref(outcome->objects[i]);
    free(outcome->said);
}

double bench_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    cr_assert(json_is_number(value), "no number %s", key);
    return json_number_value(value);
}

const char *bench_text(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    cr_assert(json_is_string(value), "no string %s", key);
    return json_string_value(value);
}
