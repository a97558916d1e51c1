/*
 * option_faults.c - say which argument argp could not read, and why
 *
 * argp does not tell: it knows from getopt no more than that there was a
 * fault.  So the argument is looked up again here, in the same tables.
 */

#include "option_faults.h"

#include "cli.h"

#include <stdio.h>
#include <string.h>

#define MOST_OPTIONS 64

struct known {
    const struct argp_option *options[MOST_OPTIONS];
    const char *names[MOST_OPTIONS];
    size_t count;
};

static void collect(const struct argp *argp, struct known *known)
{
    for (const struct argp_option *option = argp->options;
         option && option->name && known->count < MOST_OPTIONS; option++) {
        known->options[known->count] = option;
        known->names[known->count++] = option->name;
    }
    for (const struct argp_child *child = argp->children; child && child->argp;
         child++)
        collect(child->argp, known);
}

static void say_ambiguous(const char *name, const struct known *found)
{
    char list[256];
    size_t used = 0;

    list[0] = '\0';
    for (size_t i = 0; i < found->count && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s --%s",
                                 i > 0 ? "," : "", found->names[i]);
    report(CLI_USAGE, "--%s may mean%s", name, list);
}

static void say_unknown(const char *argument, const char *name,
                        const struct known *known)
{
    const char *meant = suggest(name, known->names, known->count);

    if (meant)
        report(CLI_USAGE, "there is no option %s; did you mean --%s?", argument,
               meant);
    else
        report(CLI_USAGE, "there is no option %s; --help lists them", argument);
}

/* Whether the argument is at fault; if so it is reported. */
static bool explain(const char *argument, const struct known *known)
{
    char name[64];
    struct known found = {.count = 0};

    if (argument[0] != '-' || argument[1] == '\0')
        return false;
    const char *start = argument + strspn(argument, "-");
    size_t length = strcspn(start, "=");
    bool has_value = start[length] == '=';
    snprintf(name, sizeof(name), "%.*s", (int)length, start);

    for (size_t i = 0; i < known->count && length > 0; i++) {
        if (strncmp(known->names[i], start, length) != 0)
            continue;
        if (known->names[i][length] == '\0')
            found.count = 0; /* in full: the longer ones are not meant */
        found.options[found.count] = known->options[i];
        found.names[found.count++] = known->names[i];
        if (known->names[i][length] == '\0')
            break;
    }
    if (found.count == 0 || start - argument != 2) {
        say_unknown(argument, name, known);
    } else if (found.count > 1) {
        say_ambiguous(name, &found);
    } else if (has_value && !found.options[0]->arg) {
        report(CLI_USAGE, "--%s takes no value; it was given '%s'",
               found.names[0], start + length + 1);
    } else if (!has_value && found.options[0]->arg) {
        report(CLI_USAGE, "--%s needs a value: --%s=%s", found.names[0],
               found.names[0], found.options[0]->arg);
    } else {
        return false;
    }
    return true;
}

void option_fault(const struct argp *root, char **argv, int next)
{
    struct known known = {.count = 0};

    /* argp stops after a long option and after the last letter of a short one,
     * but at the argument that holds an earlier letter. */
    collect(root, &known);
    if (next > 1 && explain(argv[next - 1], &known))
        return;
    if (argv[next] && explain(argv[next], &known))
        return;
    report(CLI_USAGE, "the arguments cannot be read; see --help");
}
