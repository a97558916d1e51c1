/*
 * params_lists.c - the history, bias and bans of a line's row
 */

#include "params_line.h"

#include "cli.h"
#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool read_integer(const json_t *value, int64_t least, int64_t most,
                         int32_t *integer)
{
    if (!json_is_integer(value) || json_integer_value(value) < least ||
        json_integer_value(value) > most)
        return false;
    *integer = (int32_t)json_integer_value(value);
    return true;
}

/* An array of integers, appended to a list of int32_t. */
static int read_tokens(struct params_line *line, const char *key,
                       const json_t *array, int32_t least, int32_t most,
                       struct list *list, struct span *span)
{
    char part[32];
    char range[64];
    size_t i;
    json_t *item;

    if (!json_is_array(array))
        return params_fail_value(line, key, "", array,
                                 "it takes an array of token ids");
    *span = (struct span){list->count, json_array_size(array)};
    json_array_foreach(array, i, item)
    {
        int32_t *token = list_append(list);

        if (!token)
            return params_no_memory(line);
        if (read_integer(item, least, most, token))
            continue;
        snprintf(part, sizeof(part), " entry %zu", i);
        snprintf(range, sizeof(range), "%d .. %d", (int)least, (int)most);
        return params_fail_range(line, key, part, item, range);
    }
    return CLI_OK;
}

int params_read_history(struct params_line *line, const char *key,
                        json_t *value)
{
    return read_tokens(line, key, value, INT32_MIN, INT32_MAX,
                       &line->lists->tokens, &line->row->history);
}

int params_read_prompt_tokens(struct params_line *line, const char *key,
                              json_t *value)
{
    int32_t count;

    if (!read_integer(value, 0, INT32_MAX, &count))
        return params_fail_range(line, key, "", value,
                                 "0 .. the history's length");
    line->row->prompt_tokens = count;
    return CLI_OK;
}

int params_read_ban(struct params_line *line, const char *key, json_t *value)
{
    return read_tokens(line, key, value, 0, line->lists->vocab - 1,
                       &line->lists->bans, &line->row->bans);
}

/* One bias; the id has been read. */
static int add_bias(struct params_line *line, const char *key, int32_t token,
                    json_t *value)
{
    struct tessera_bias *bias = list_append(&line->lists->biases);
    double number = json_number_value(value);
    char part[32];

    if (!bias)
        return params_no_memory(line);
    bias->token = token;
    if (json_is_string(value) && strcmp(json_string_value(value), "-inf") == 0)
        number = -INFINITY;
    else if (!json_is_number(value))
        number = NAN;
    if (bias_value(number, &bias->value))
        return CLI_OK;
    snprintf(part, sizeof(part), " of token %d", (int)token);
    return params_fail_range(line, key, part, value,
                             "finite in binary32, or \"-inf\"");
}

static int read_bias_object(struct params_line *line, const char *key,
                            json_t *object)
{
    const char *id;
    json_t *value;

    json_object_foreach(object, id, value)
    {
        int64_t token;

        if (number_integer(id, &token) != NUMBER_OK || token < 0 ||
            token >= line->lists->vocab)
            return params_fail(
                line, "\"%s\" names token \"%.32s\"; its range is 0 .. %d", key,
                id, (int)line->lists->vocab - 1);
        int status = add_bias(line, key, (int32_t)token, value);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

static int read_bias_array(struct params_line *line, const char *key,
                           const json_t *array)
{
    char part[32];
    size_t i;
    json_t *pair;

    json_array_foreach(array, i, pair)
    {
        int32_t token;

        if (json_array_size(pair) != 2 ||
            !read_integer(json_array_get(pair, 0), 0, INT32_MAX, &token)) {
            snprintf(part, sizeof(part), " entry %zu", i);
            return params_fail_value(line, key, part, pair,
                                     "it takes [token id, value]");
        }
        int status = add_bias(line, key, token, json_array_get(pair, 1));
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

int params_read_bias(struct params_line *line, const char *key, json_t *value)
{
    struct span *span = &line->row->biases;
    int status;

    span->first = line->lists->biases.count;
    if (json_is_object(value))
        status = read_bias_object(line, key, value);
    else if (json_is_array(value))
        status = read_bias_array(line, key, value);
    else
        status = params_fail_value(line, key, "", value,
                                   "it takes {\"id\": value} or [[id, value]]");
    span->count = line->lists->biases.count - span->first;
    return status;
}
