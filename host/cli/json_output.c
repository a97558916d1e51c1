/*
 * json_output.c - answers as JSON, an object a line
 */

#include "json_output.h"

#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool json_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

json_t *json_of_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_of_word(uint64_t value)
{
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    return json_sprintf("0x%" PRIx64, value);
}

bool json_put_token(json_t *object, int32_t token,
                    const struct token_texts *texts)
{
    json_t *text = token_text(texts, token);

    return json_put(object, "token", json_integer(token)) &&
           (!text || json_put(object, "text", json_incref(text)));
}

bool json_put_backend(json_t *object, const struct backend_choice *backend)
{
    return json_put(object, "backend",
                    json_string(backend_name(backend->device))) &&
           json_put(object, "plan",
                    backend->plans != 0 ? json_string(plan_name(backend->plans))
                                        : json_null());
}

json_t *json_whole(json_t *value, bool good)
{
    if (good)
        return value;
    json_decref(value);
    return NULL;
}

char *json_text(const json_t *value, size_t flags)
{
    /* Not json_dumps(): where its buffer cannot grow, it may leave out a key
     * and go on. */
    size_t size = json_dumpb(value, NULL, 0, flags);
    char *text = size > 0 ? malloc(size + 1) : NULL;

    if (text && json_dumpb(value, text, size, flags) != size) {
        free(text);
        return NULL;
    }
    if (text)
        text[size] = '\0';
    return text;
}

int json_print(json_t *object)
{
    char *text = NULL;

    /* 9 digits tell any two binary32 apart. */
    if (object)
        text = json_text(object, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(object);
    if (!text)
        return report_memory();
    puts(text);
    free(text);
    return CLI_OK;
}
