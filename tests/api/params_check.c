/*
 * params_check.c - the table of parameters, tessera_params_check() and the
 * status of a row say the same
 */

#include "batch_builder.h"
#include "floats.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value of a parameter, as the table's type has it. */
union value {
    float number;
    int32_t integer;
    uint64_t word;
};

static size_t bytes_of(const struct tessera_parameter *parameter)
{
    return parameter->type == TESSERA_PARAMETER_WORD ? 8 : 4;
}

static void put(struct tessera_params *params,
                const struct tessera_parameter *parameter, union value value)
{
    memcpy((char *)params + parameter->offset, &value, bytes_of(parameter));
}

/* The error is "NAME is VALUE; ... RANGE ...", VALUE to the last bit. */
static void expect_text(const struct tessera_parameter *parameter,
                        union value value)
{
    const char *text = tessera_last_error();
    size_t length = strlen(parameter->name);

    cr_assert(strncmp(text, parameter->name, length) == 0 &&
                  strncmp(text + length, " is ", 4) == 0,
              "'%s' does not name %s", text, parameter->name);
    cr_assert(strstr(text, parameter->range), "'%s' does not say %s", text,
              parameter->range);

    const char *number = text + length + 4;
    if (parameter->type == TESSERA_PARAMETER_WORD)
        cr_assert(strtoull(number, NULL, 10) == value.word, "'%s'", text);
    else if (parameter->type == TESSERA_PARAMETER_INT)
        cr_assert(strtol(number, NULL, 10) == value.integer, "'%s'", text);
    else if (isnan(value.number))
        cr_assert(isnan(strtof(number, NULL)), "'%s'", text);
    else
        cr_assert(strtof(number, NULL) == value.number, "'%s'", text);
}

/* Asks the check and a row of every backend, greedy and not. */
static void expect_value(const struct tessera_parameter *parameter,
                         union value value, bool legal)
{
    static const float logits[] = {1, 2, 3};
    static const int32_t history[] = {0, 2};
    const struct layout layout = {0};

    for (int greedy = 0; greedy < 2; greedy++) {
        struct test_row row = row_of(TESSERA_FLOAT32, 3, logits);

        row.generated = (struct id_list){history, 2};
        row.params.temperature = greedy ? 0 : 1;
        put(&row.params, parameter, value);
        enum tessera_status status = tessera_params_check(&row.params, NULL);
        cr_assert(status == (legal ? TESSERA_OK : TESSERA_BAD_ARGUMENT),
                  "%s of bits %llx: %s", parameter->name,
                  (unsigned long long)value.word, tessera_status_name(status));
        if (!legal)
            expect_text(parameter, value);
        for (EACH_BACKEND(backend)) {
            struct row_result result;

            run_rows(backend, &row, 1, &layout, &result);
            cr_assert(
                result.status == (legal ? TESSERA_ROW_OK : TESSERA_ROW_INVALID),
                "%s: %s of bits %llx: status %u", backend->name,
                parameter->name, (unsigned long long)value.word, result.status);
        }
    }
}

static void expect_float(const struct tessera_parameter *parameter, float value,
                         bool legal)
{
    union value as = {.word = 0};

    as.number = value;
    expect_value(parameter, as, legal);
}

static void expect_int(const struct tessera_parameter *parameter, int64_t value,
                       bool legal)
{
    union value as = {.word = 0};

    if (value < INT32_MIN || value > INT32_MAX)
        return; /* the field cannot hold it */
    as.integer = (int32_t)value;
    expect_value(parameter, as, legal);
}

static void expect_float_range(const struct tessera_parameter *parameter)
{
    float least = (float)parameter->minimum;
    float most = (float)parameter->maximum;
    bool open = parameter->minimum_open;

    expect_float(parameter, least, !open);
    expect_float(parameter, nextafterf(least, INFINITY), true);
    expect_float(parameter, nextafterf(least, -INFINITY), false);
    expect_float(parameter, most, true);
    expect_float(parameter, nextafterf(most, -INFINITY), true);
    expect_float(parameter, nextafterf(most, INFINITY), false);
    if (least == 0)
        expect_float(parameter, -0.0f, !open);
    expect_float(parameter, NAN, false);
    expect_float(parameter, -NAN, false);
    expect_float(parameter, float_of_bits(0x7f800001), false);
    expect_float(parameter, INFINITY, false);
    expect_float(parameter, -INFINITY, false);
    expect_float(parameter, FLT_MAX, false);
    expect_float(parameter, -FLT_MAX, false);
}

static void expect_int_range(const struct tessera_parameter *parameter)
{
    int64_t least = (int64_t)parameter->minimum;
    int64_t most = (int64_t)parameter->maximum;

    for (int64_t by = -1; by <= 1; by++) {
        expect_int(parameter, least + by, by >= 0);
        expect_int(parameter, most + by, by <= 0);
    }
    expect_int(parameter, INT32_MIN, least == INT32_MIN);
    expect_int(parameter, INT32_MAX, most == INT32_MAX);
}

static void expect_word_range(const struct tessera_parameter *parameter)
{
    union value value = {.word = parameter->maximum_word};

    expect_value(parameter, value, true);
    if (value.word == UINT64_MAX)
        return;
    value.word++;
    expect_value(parameter, value, false);
    value.word = UINT64_MAX;
    expect_value(parameter, value, false);
}

Test(params_check, values_at_and_past_every_bound)
{
    const struct tessera_parameter *parameter;
    size_t count = 0;

    for (; (parameter = tessera_parameter_info(count)) != NULL; count++) {
        if (parameter->type == TESSERA_PARAMETER_FLOAT)
            expect_float_range(parameter);
        else if (parameter->type == TESSERA_PARAMETER_WORD)
            expect_word_range(parameter);
        else
            expect_int_range(parameter);
    }
    cr_assert(count == 12, "%zu parameters", count);
}

/* Section 10 of the contract, written out. */
Test(params_check, the_table_is_the_contracts)
{
    static const struct {
        const char *name;
        const char *range;
        double minimum, maximum;
        int minimum_open;
        uint64_t maximum_word;
    } ranges[] = {
        {"repetition_penalty", "(0, 1e6]", 0, 1e6, 1, 0},
        {"frequency_penalty", "[-1e6, 1e6]", -1e6, 1e6, 0, 0},
        {"presence_penalty", "[-1e6, 1e6]", -1e6, 1e6, 0, 0},
        {"penalty_window", "any int32", INT32_MIN, INT32_MAX, 0, 0},
        {"penalize_prompt", "0 or not", INT32_MIN, INT32_MAX, 0, 0},
        {"temperature", "[0, 1e6]", 0, 1e6, 0, 0},
        {"top_k", "-1 .. 2147483647", -1, INT32_MAX, 0, 0},
        {"top_p", "[0, 1]", 0, 1, 0, 0},
        {"min_p", "[0, 1]", 0, 1, 0, 0},
        {"seed", "0 .. 2^64 - 1", 0, 0, 0, UINT64_MAX},
        {"stream", "0 .. 2^64 - 1", 0, 0, 0, UINT64_MAX},
        {"step", "0 .. 2^62 - 1", 0, 0, 0, (UINT64_C(1) << 62) - 1},
    };

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const struct tessera_parameter *parameter = tessera_parameter_info(i);

        cr_assert(parameter, "no parameter %zu", i);
        cr_assert(strcmp(parameter->name, ranges[i].name) == 0, "%s",
                  parameter->name);
        if (parameter->type == TESSERA_PARAMETER_WORD)
            cr_assert(parameter->maximum_word == ranges[i].maximum_word, "%s",
                      parameter->name);
        else
            cr_assert(parameter->minimum == ranges[i].minimum &&
                          parameter->maximum == ranges[i].maximum &&
                          !parameter->minimum_open == !ranges[i].minimum_open,
                      "%s", parameter->name);
        cr_assert(strcmp(parameter->range, ranges[i].range) == 0, "%s",
                  parameter->range);
        cr_assert(parameter->summary[0] && parameter->off, "%s",
                  parameter->name);
    }
}

/* The table's fields cover the struct, in order, and 'initial' is what
 * TESSERA_PARAMS_INIT has. */
Test(params_check, the_table_matches_the_struct)
{
    const struct tessera_params params = TESSERA_PARAMS_INIT;
    const struct tessera_parameter *parameter;
    size_t end = 0;

    for (size_t i = 0; (parameter = tessera_parameter_info(i)) != NULL; i++) {
        const char *field = (const char *)&params + parameter->offset;
        union value value = {.word = 0};
        double initial;

        cr_assert(parameter->offset >= end && parameter->offset < end + 8,
                  "%s is at %zu", parameter->name, parameter->offset);
        end = parameter->offset + bytes_of(parameter);
        memcpy(&value, field, bytes_of(parameter));
        if (parameter->type == TESSERA_PARAMETER_FLOAT)
            initial = (double)value.number;
        else if (parameter->type == TESSERA_PARAMETER_WORD)
            initial = (double)value.word;
        else
            initial = value.integer;
        cr_assert(initial == parameter->initial, "%s is %g", parameter->name,
                  initial);
    }
    cr_assert(end == sizeof(params));
    cr_assert(tessera_params_check(&params, NULL) == TESSERA_OK);
}
