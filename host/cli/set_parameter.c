/*
 * set_parameter.c - set a field of struct tessera_params by its description
 */

#include "set_parameter.h"

#include <string.h>

const struct tessera_parameter *parameter_named(const char *name)
{
    const struct tessera_parameter *parameter;

    for (size_t i = 0; (parameter = tessera_parameter_info(i)) != NULL; i++)
        if (strcmp(parameter->name, name) == 0)
            return parameter;
    return NULL;
}

static bool in_range(const struct tessera_parameter *parameter, double value)
{
    return value >= parameter->minimum && value <= parameter->maximum &&
           !(parameter->minimum_open && value == parameter->minimum);
}

bool parameter_set_number(struct tessera_params *params,
                          const struct tessera_parameter *parameter,
                          double value)
{
    void *field = (char *)params + parameter->offset;

    if (!in_range(parameter, value))
        return false;
    if (parameter->type == TESSERA_PARAMETER_FLOAT) {
        float rounded = (float)value;

        /* 1e-50 is above 0, but no binary32 is that small. */
        if (!in_range(parameter, rounded))
            return false;
        memcpy(field, &rounded, sizeof(rounded));
    } else {
        int32_t integer = (int32_t)value;

        memcpy(field, &integer, sizeof(integer));
    }
    return true;
}

bool parameter_set_word(struct tessera_params *params,
                        const struct tessera_parameter *parameter,
                        uint64_t value)
{
    if (value > parameter->maximum_word)
        return false;
    memcpy((char *)params + parameter->offset, &value, sizeof(value));
    return true;
}

enum number_status parameter_set_text(struct tessera_params *params,
                                      const struct tessera_parameter *parameter,
                                      const char *text)
{
    enum number_status status;
    int64_t integer;
    uint64_t word;
    double real;
    bool set;

    switch (parameter->type) {
    case TESSERA_PARAMETER_WORD:
        status = number_word(text, &word);
        set =
            status == NUMBER_OK && parameter_set_word(params, parameter, word);
        break;
    case TESSERA_PARAMETER_FLOAT:
        status = number_real(text, &real);
        set = status == NUMBER_OK &&
              parameter_set_number(params, parameter, real);
        break;
    case TESSERA_PARAMETER_INT:
    case TESSERA_PARAMETER_BOOL:
    default:
        status = number_integer(text, &integer);
        set = status == NUMBER_OK &&
              parameter_set_number(params, parameter, (double)integer);
        break;
    }
    if (status == NUMBER_OK && !set)
        return NUMBER_TOO_LARGE;
    return status;
}
