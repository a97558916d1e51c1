/*
 * option_values.c - read and check the value of one option
 */

#include "option_values.h"

#include "numbers.h"
#include "parameter_options.h"
#include "rows.h"
#include "set_parameter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* As the library has it. */
#define MOST_THREADS 1024

static bool fault(const char *name, const char *text, enum number_status status,
                  const char *kind, const char *range)
{
    if (status == NUMBER_MALFORMED)
        report(CLI_USAGE, "%s is '%s', which is not %s; its range is %s", name,
               text, kind, range);
    else
        report(CLI_USAGE, "%s is %s; its range is %s", name, text, range);
    return false;
}

bool option_integer(const char *name, const char *text, int64_t least,
                    int64_t most, int64_t *value)
{
    char range[64];
    enum number_status status = number_integer(text, value);

    if (status == NUMBER_OK && (*value < least || *value > most))
        status = NUMBER_TOO_LARGE;
    if (status == NUMBER_OK)
        return true;
    snprintf(range, sizeof(range), "%" PRId64 " .. %" PRId64, least, most);
    return fault(name, text, status, "a whole number", range);
}

bool option_backend(const char *text, struct backend_choice *choice)
{
    if (backend_parse(text, choice))
        return true;
    report(CLI_USAGE, "--backend is '%s'; it may be %s", text, BACKEND_NAMES);
    return false;
}

bool option_plan(const char *text, struct backend_choice *choice)
{
    if (plan_parse(text, &choice->plans))
        return true;
    report(CLI_USAGE, "--plan is '%s'; it may be %s", text, PLAN_NAMES);
    return false;
}

bool option_threads(const char *text, struct backend_choice *choice)
{
    int64_t threads;

    if (!option_integer("--threads", text, 1, MOST_THREADS, &threads))
        return false;
    choice->threads = (int32_t)threads;
    return true;
}

bool option_number(const struct number_option *table, int key, const char *text,
                   struct options *options)
{
    const struct number_option *option = table;
    int64_t value;

    while (option->key != key)
        option++;
    if (!option_integer(option->name, text, option->least, option->most,
                        &value))
        return false;
    memcpy((char *)options + option->offset, &value, sizeof(value));
    return true;
}

bool option_parameter(size_t index, const char *text,
                      struct tessera_params *params)
{
    const struct tessera_parameter *parameter = tessera_parameter_info(index);
    char name[PARAMETER_NAME_BYTES];

    if (parameter->type == TESSERA_PARAMETER_BOOL)
        return parameter_set_number(params, parameter, 1);
    enum number_status status = parameter_set_text(params, parameter, text);
    if (status == NUMBER_OK)
        return true;
    snprintf(name, sizeof(name), "--");
    parameter_option_name(parameter, name + 2);
    return fault(name, text, status,
                 parameter->type == TESSERA_PARAMETER_FLOAT ? "a number"
                                                            : "a whole number",
                 parameter->range);
}

static bool token_id(const char *text, int32_t *token)
{
    int64_t id;

    if (number_integer(text, &id) != NUMBER_OK || id < 0 ||
        id >= TESSERA_MAX_VOCAB)
        return false;
    *token = (int32_t)id;
    return true;
}

static bool no_memory(void)
{
    report_memory();
    return false;
}

bool option_bias(const char *text, struct list *biases)
{
    const char *colon = strchr(text, ':');
    char id[24] = "";
    struct tessera_bias bias;
    double number = 0;

    if (colon && (size_t)(colon - text) < sizeof(id))
        memcpy(id, text, (size_t)(colon - text));
    if (!colon || !token_id(id, &bias.token)) {
        report(CLI_USAGE,
               "--bias is '%s'; it takes ID:VALUE, ID in 0 .. %d and below the "
               "vocabulary's size",
               text, TESSERA_MAX_VOCAB - 1);
        return false;
    }

    enum number_status status = NUMBER_OK;
    if (strcmp(colon + 1, "-inf") == 0)
        number = -INFINITY;
    else
        status = number_real(colon + 1, &number);
    if (status != NUMBER_OK || !bias_value(number, &bias.value)) {
        report(CLI_USAGE,
               "--bias is '%s'; the range of its value is finite in binary32, "
               "or -inf",
               text);
        return false;
    }

    struct tessera_bias *added = list_append(biases);
    if (!added)
        return no_memory();
    *added = bias;
    return true;
}

bool option_ban(const char *text, struct list *bans)
{
    int32_t token;

    if (!token_id(text, &token)) {
        report(CLI_USAGE,
               "--ban is '%s'; it takes a whole number, 0 .. %d and below the "
               "vocabulary's size",
               text, TESSERA_MAX_VOCAB - 1);
        return false;
    }
    int32_t *added = list_append(bans);
    if (!added)
        return no_memory();
    *added = token;
    return true;
}
