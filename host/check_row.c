/*
 * check_row.c - what makes a row invalid, and what to say of it
 *
 * The same functions give a row's status inside tessera_sample() and the text
 * of tessera_params_check(), so the two cannot disagree.
 */

#include "check_row.h"

#include "environment.h"
#include "error.h"
#include "stages/stages.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The field of a parameter; fields differ in type. */
static const void *field_of(const struct tessera_parameter *parameter,
                            const struct tessera_params *params)
{
    return (const char *)params + parameter->offset;
}

static double number_in(const struct tessera_parameter *parameter,
                        const struct tessera_params *params)
{
    if (parameter->type == TESSERA_PARAMETER_FLOAT)
        return *(const float *)field_of(parameter, params);
    return *(const int32_t *)field_of(parameter, params);
}

static bool in_range(const struct tessera_parameter *parameter,
                     const struct tessera_params *params)
{
    if (parameter->type == TESSERA_PARAMETER_WORD)
        return *(const uint64_t *)field_of(parameter, params) <=
               parameter->maximum_word;

    /* A NaN fails the first comparison. */
    double value = number_in(parameter, params);
    return value >= parameter->minimum && value <= parameter->maximum &&
           !(parameter->minimum_open && value == parameter->minimum);
}

const struct tessera_parameter *
tessera_params_fault(const struct tessera_params *params)
{
    const struct tessera_parameter *parameter;

    for (size_t i = 0; (parameter = tessera_parameter_info(i)) != NULL; i++)
        if (!in_range(parameter, params))
            return parameter;
    return NULL;
}

uint32_t tessera_params_stages(const struct tessera_params *params)
{
    uint32_t stages = 0;

    if (tessera_penalties_on(params))
        stages |= TESSERA_STAGE_PENALTIES;
    if (!tessera_is_greedy(params->temperature))
        stages |= TESSERA_STAGE_DRAW;
    if (params->top_k > 0)
        stages |= TESSERA_STAGE_TOP_K;
    if (params->top_p < 1.0f)
        stages |= TESSERA_STAGE_TOP_P;
    if (params->min_p > 0.0f)
        stages |= TESSERA_STAGE_MIN_P;
    return stages;
}

static bool in_vocab(int32_t token, int32_t vocab)
{
    return token >= 0 && token < vocab;
}

enum tessera_edit_fault tessera_edits_fault(const struct tessera_edits *edits,
                                            int32_t *index)
{
    for (int32_t i = 0; i < edits->bias_count; i++) {
        const struct tessera_bias *bias = &edits->biases[i];

        *index = i;
        if (!in_vocab(bias->token, edits->vocab))
            return TESSERA_EDIT_BIAS_TOKEN;
        if (i > 0 && bias->token <= edits->biases[i - 1].token)
            return TESSERA_EDIT_BIAS_ORDER;
        if (!isfinite(bias->value) && bias->value != -INFINITY)
            return TESSERA_EDIT_BIAS_VALUE;
    }
    for (int32_t i = 0; i < edits->ban_count; i++) {
        *index = i;
        if (!in_vocab(edits->bans[i], edits->vocab))
            return TESSERA_EDIT_BAN_TOKEN;
    }
    return TESSERA_EDIT_OK;
}

static enum tessera_status
say_params_fault(const struct tessera_params *params,
                 const struct tessera_parameter *parameter)
{
    if (parameter->type == TESSERA_PARAMETER_WORD)
        return tessera_fail(
            TESSERA_BAD_ARGUMENT, "%s is %" PRIu64 "; its range is %s",
            parameter->name, *(const uint64_t *)field_of(parameter, params),
            parameter->range);
    return tessera_fail(TESSERA_BAD_ARGUMENT, "%s is %.*g; its range is %s",
                        parameter->name,
                        parameter->type == TESSERA_PARAMETER_FLOAT ? 9 : 10,
                        number_in(parameter, params), parameter->range);
}

/* The counts and pointers of an edits struct, before its entries are read. */
static enum tessera_status check_edit_lists(const struct tessera_edits *edits)
{
    if (edits->vocab < 1 || edits->vocab > TESSERA_MAX_VOCAB)
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "edits.vocab is %d; its range is 1 .. %d",
                            (int)edits->vocab, TESSERA_MAX_VOCAB);
    if (edits->bias_count < 0 || (edits->bias_count > 0 && !edits->biases))
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "edits.bias_count is %d; its range is 0 .. "
                            "2147483647, and 0 where edits.biases is NULL",
                            (int)edits->bias_count);
    if (edits->ban_count < 0 || (edits->ban_count > 0 && !edits->bans))
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "edits.ban_count is %d; its range is 0 .. "
                            "2147483647, and 0 where edits.bans is NULL",
                            (int)edits->ban_count);
    return TESSERA_OK;
}

static enum tessera_status say_edit_fault(const struct tessera_edits *edits,
                                          enum tessera_edit_fault fault,
                                          int32_t index)
{
    switch (fault) {
    case TESSERA_EDIT_OK:
        break;
    case TESSERA_EDIT_BIAS_TOKEN:
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "the token of bias %d is %d; its range is 0 .. %d",
                            (int)index, (int)edits->biases[index].token,
                            (int)edits->vocab - 1);
    case TESSERA_EDIT_BIAS_ORDER:
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "the token of bias %d is %d after %d; tokens must "
                            "ascend, each once",
                            (int)index, (int)edits->biases[index].token,
                            (int)edits->biases[index - 1].token);
    case TESSERA_EDIT_BIAS_VALUE:
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "the value of bias %d (token %d) is %g; its range "
                            "is finite or -inf",
                            (int)index, (int)edits->biases[index].token,
                            (double)edits->biases[index].value);
    case TESSERA_EDIT_BAN_TOKEN:
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "the token of ban %d is %d; its range is 0 .. %d",
                            (int)index, (int)edits->bans[index],
                            (int)edits->vocab - 1);
    }
    return TESSERA_OK;
}

static enum tessera_status check(const struct tessera_params *params,
                                 const struct tessera_edits *edits)
{
    const struct tessera_parameter *parameter = tessera_params_fault(params);
    if (parameter)
        return say_params_fault(params, parameter);
    if (!edits)
        return TESSERA_OK;

    enum tessera_status status = check_edit_lists(edits);
    if (status != TESSERA_OK)
        return status;

    int32_t index = 0;
    enum tessera_edit_fault fault = tessera_edits_fault(edits, &index);
    if (fault == TESSERA_EDIT_OK)
        return TESSERA_OK;
    return say_edit_fault(edits, fault, index);
}

enum tessera_status tessera_params_check(const struct tessera_params *params,
                                         const struct tessera_edits *edits)
{
    if (!params)
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "params is NULL; it must point to the parameters "
                            "of a row");

    fenv_t saved;
    tessera_environment_enter(&saved);
    enum tessera_status status = check(params, edits);
    tessera_environment_leave(&saved);
    return status;
}
