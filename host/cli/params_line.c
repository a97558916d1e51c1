/*
 * params_line.c - what one row asks for: a JSON object on a line
 */

#include "params_line.h"

#include "cli.h"
#include "json_output.h"
#include "numbers.h"
#include "params_file.h"
#include "set_parameter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of a JSON text in a message. */
#define SHOWN_BYTES 48

int params_fail(struct params_line *line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line->message, line->message_size, format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

int params_no_memory(struct params_line *line)
{
    params_fail(line, "out of memory");
    return CLI_FAILED;
}

int params_fail_value(struct params_line *line, const char *key,
                      const char *part, const json_t *value, const char *wanted)
{
    char *text =
        json_text(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII |
                             JSON_REAL_PRECISION(15));
    bool cut = text && strlen(text) > SHOWN_BYTES;

    if (!text)
        return params_no_memory(line);
    params_fail(line, "\"%s\"%s is %.*s%s; %s", key, part, SHOWN_BYTES, text,
                cut ? "..." : "", wanted);
    free(text);
    return CLI_USAGE;
}

int params_fail_range(struct params_line *line, const char *key,
                      const char *part, const json_t *value, const char *range)
{
    char wanted[96];

    snprintf(wanted, sizeof(wanted), "its range is %s", range);
    return params_fail_value(line, key, part, value, wanted);
}

/* The value is out of the parameter's range, or not of its type. */
static int fail_parameter(struct params_line *line,
                          const struct tessera_parameter *parameter,
                          const json_t *value)
{
    bool whole = parameter->type != TESSERA_PARAMETER_FLOAT;
    bool right_type = whole ? json_is_integer(value) : json_is_number(value);
    char range[80];

    if (parameter->type == TESSERA_PARAMETER_WORD && json_is_string(value))
        right_type = true;
    snprintf(range, sizeof(range), "%s%s", parameter->range,
             right_type ? ""
             : whole    ? ", a whole number"
                        : ", a number");
    return params_fail_range(line, parameter->name, "", value, range);
}

static int read_word(struct params_line *line,
                     const struct tessera_parameter *parameter, json_t *value)
{
    uint64_t word = 0;
    bool good = false;

    if (json_is_integer(value)) {
        word = (uint64_t)json_integer_value(value);
        good = json_integer_value(value) >= 0;
    } else if (json_is_string(value)) {
        good = number_word(json_string_value(value), &word) == NUMBER_OK;
    }
    if (!good || !parameter_set_word(&line->row->params, parameter, word))
        return fail_parameter(line, parameter, value);
    return CLI_OK;
}

static int read_parameter(struct params_line *line,
                          const struct tessera_parameter *parameter,
                          json_t *value)
{
    struct tessera_params *params = &line->row->params;
    bool right_type = json_is_number(value);

    switch (parameter->type) {
    case TESSERA_PARAMETER_WORD:
        return read_word(line, parameter, value);
    case TESSERA_PARAMETER_BOOL:
        if (!json_is_boolean(value) && !json_is_integer(value))
            return params_fail_range(line, parameter->name, "", value,
                                     "true or false");
        parameter_set_number(params, parameter,
                             json_is_true(value) ||
                                 json_integer_value(value) != 0);
        return CLI_OK;
    case TESSERA_PARAMETER_INT:
        right_type = json_is_integer(value);
        break;
    case TESSERA_PARAMETER_FLOAT:
    default:
        break;
    }
    if (!right_type ||
        !parameter_set_number(params, parameter, json_number_value(value)))
        return fail_parameter(line, parameter, value);
    return CLI_OK;
}

static const struct {
    const char *key;
    params_reader *read;
} list_keys[] = {
    {"history", params_read_history},
    {"prompt_tokens", params_read_prompt_tokens},
    {"bias", params_read_bias},
    {"ban", params_read_ban},
};

#define LIST_KEY_COUNT (sizeof(list_keys) / sizeof(list_keys[0]))

static int fail_key(struct params_line *line, const char *key)
{
    const char *names[64];
    size_t count = 0;

    for (size_t i = 0; i < LIST_KEY_COUNT; i++)
        names[count++] = list_keys[i].key;
    for (size_t i = 0; tessera_parameter_info(i) && count < 64; i++)
        names[count++] = tessera_parameter_info(i)->name;

    const char *meant = suggest(key, names, count);
    if (meant)
        return params_fail(line,
                           "there is no key \"%.64s\"; did you mean \"%s\"?",
                           key, meant);
    return params_fail(line, "there is no key \"%.64s\"", key);
}

static int read_key(struct params_line *line, const char *key, json_t *value)
{
    const struct tessera_parameter *parameter = parameter_named(key);

    if (parameter)
        return read_parameter(line, parameter, value);
    for (size_t i = 0; i < LIST_KEY_COUNT; i++)
        if (strcmp(key, list_keys[i].key) == 0)
            return list_keys[i].read(line, key, value);
    return fail_key(line, key);
}

static int read_object(struct params_line *line, json_t *object)
{
    struct row_request *row = line->row;
    char fault[128];
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        int status = read_key(line, key, value);

        if (status != CLI_OK)
            return status;
    }
    if (row->prompt_tokens > (int64_t)row->history.count)
        return params_fail(line,
                           "\"prompt_tokens\" is %" PRId64
                           "; its range is 0 .. %zu, the history's length",
                           row->prompt_tokens, row->history.count);
    if (row_settle_biases(line->lists, row->biases, fault, sizeof(fault)) != 0)
        return params_fail(line, "\"bias\" %s", fault);
    if (row_check_bans(line->lists, row->bans, fault, sizeof(fault)) != 0)
        return params_fail(line, "\"ban\" %s", fault);
    return CLI_OK;
}

/* The key whose value ends at 'position', if it is easily found; "" if not. */
static void key_before(const char *text, size_t position,
                       char key[SHOWN_BYTES + 1])
{
    size_t end = position;

    while (end > 0 && text[end - 1] != ':')
        end--;
    end -= end > 0;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t'))
        end--;
    end -= end > 0 && text[end - 1] == '"';
    size_t start = end;
    while (start > 0 && end - start < SHOWN_BYTES && text[start - 1] != '"')
        start--;
    memcpy(key, text + start, end - start);
    key[end - start] = '\0';
}

/* A number that jansson has no room for, the value of a parameter. */
static int fail_overflow(struct params_line *line,
                         const struct tessera_parameter *parameter,
                         const json_error_t *error)
{
    const char *name = parameter->name;

    if (parameter->type == TESSERA_PARAMETER_WORD &&
        !strstr(error->text, "negative"))
        return params_fail(line,
                           "\"%s\" is above 2^63 - 1: such a number is written "
                           "as a string, \"%s\": \"0x..\"; its range is %s",
                           name, name, parameter->range);
    return params_fail(line, "\"%s\" is out of its range, %s: %s", name,
                       parameter->range, error->text);
}

/* A line that is no JSON value: jansson says where and why. */
static int fail_json(struct params_line *line, const char *text, size_t length,
                     const json_error_t *error)
{
    const struct tessera_parameter *parameter = NULL;
    char key[SHOWN_BYTES + 1];

    if (errno == ENOMEM) /* of which jansson does not always tell */
        return params_no_memory(line);
    if (strspn(text, " \t\r\n") >= length)
        return params_fail(line, "the line is empty; it takes an object");
    if (json_error_code(error) == json_error_numeric_overflow) {
        key_before(text, (size_t)error->position, key);
        parameter = parameter_named(key);
    }
    if (parameter)
        return fail_overflow(line, parameter, error);
    return params_fail(line, "malformed JSON: %s", error->text);
}

int params_line_read(const char *text, size_t length, struct row_lists *lists,
                     struct row_request *row, char *message,
                     size_t message_size)
{
    struct params_line line = {lists, row, message, message_size};
    json_error_t error;

    errno = 0;
    json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    int status;

    if (!object)
        status = fail_json(&line, text, length, &error);
    else if (!json_is_object(object))
        status = params_fail(&line, "not a JSON object");
    else
        status = read_object(&line, object);
    json_decref(object);
    return status;
}
