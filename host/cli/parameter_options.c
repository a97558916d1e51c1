/*
 * parameter_options.c - the table of parameters as options and as help
 *
 * argp would sort the parameters by name.  They are easier to understand in
 * the order in which they work, so this file lays out that part of the help.
 */

#include "parameter_options.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t parameter_count(void)
{
    size_t count = 0;

    while (tessera_parameter_info(count))
        count++;
    return count;
}

void parameter_option_name(const struct tessera_parameter *parameter,
                           char name[PARAMETER_NAME_BYTES - 2])
{
    size_t i = 0;

    for (; i < PARAMETER_NAME_BYTES - 3 && parameter->name[i]; i++)
        name[i] = parameter->name[i] == '_' ? '-' : parameter->name[i];
    name[i] = '\0';
}

static const char *value_name(const struct tessera_parameter *parameter)
{
    switch (parameter->type) {
    case TESSERA_PARAMETER_FLOAT:
        return "X";
    case TESSERA_PARAMETER_BOOL:
        return NULL;
    case TESSERA_PARAMETER_INT:
    case TESSERA_PARAMETER_WORD:
    default:
        return "N";
    }
}

struct argp_option *parameter_options_create(int first_key)
{
    size_t count = parameter_count();
    struct argp_option *options = calloc(count + 1, sizeof(*options));
    char(*names)[PARAMETER_NAME_BYTES] = calloc(count, sizeof(*names));

    if (!options || !names) {
        free(options);
        free(names);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const struct tessera_parameter *parameter = tessera_parameter_info(i);

        parameter_option_name(parameter, names[i]);
        options[i].name = names[i];
        options[i].key = first_key + (int)i;
        options[i].arg = value_name(parameter);
        options[i].flags = OPTION_HIDDEN;
    }
    return options;
}

void parameter_options_free(struct argp_option *options)
{
    if (!options)
        return;
    free((char *)options[0].name); /* the first of all names */
    free(options);
}

static void print_parameter(const struct tessera_parameter *parameter,
                            FILE *out)
{
    const char *value = value_name(parameter);
    char name[PARAMETER_NAME_BYTES];
    char option[PARAMETER_NAME_BYTES + 4];

    parameter_option_name(parameter, name);
    snprintf(option, sizeof(option), "--%s%s%s", name, value ? "=" : "",
             value ? value : "");
    fprintf(out, "  %-24s %-18s %-5s %.9g\n", option,
            value ? parameter->range : "a flag",
            parameter->off[0] ? parameter->off : "-", parameter->initial);
    fprintf(out, "      %s\n", parameter->summary);
}

char *parameter_help(const char *doc)
{
    size_t before = strcspn(doc, "\v");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "%.*s\v", (int)before, doc);
    fprintf(out, "Parameters, in the order in which they work.  Seed, stream "
                 "and step are\ndecimal, or hexadecimal after 0x.\n\n");
    fprintf(out, "  %-24s %-18s %-5s %s\n", "option", "range", "off",
            "default");
    for (size_t i = 0; tessera_parameter_info(i); i++)
        print_parameter(tessera_parameter_info(i), out);
    fprintf(out, "\n%s", doc + before + (doc[before] == '\v'));

    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
