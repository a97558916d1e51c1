/*
 * messages.c - every error text of the library names what is wrong, its value
 * and what it must be
 */

#include "api_call.h"
#include "message_form.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The call failed before this, with a text that the shell pattern matches. */
#define SAID(pattern)                                                          \
    expect_message(__FILE__, __LINE__, tessera_last_error(), pattern)

static void expect_create(int line, const struct tessera_config *config,
                          const char *pattern)
{
    struct tessera_sampler *sampler;

    cr_assert(tessera_create(config, &sampler) != TESSERA_OK, "line %d", line);
    expect_message(__FILE__, line, tessera_last_error(), pattern);
}

#define NOT_CREATED(change, pattern)                                           \
    do {                                                                       \
        struct tessera_config config = TESSERA_CONFIG_INIT;                    \
        config.vocab = 40;                                                     \
        change;                                                                \
        expect_create(__LINE__, &config, pattern);                             \
    } while (0)

static void provoke_create(void)
{
    struct later_config {
        struct tessera_config config;
        char more[8];
    } later = {TESSERA_CONFIG_INIT, {0}};

    expect_create(__LINE__, NULL, "config is NULL; it is required");
    cr_assert(tessera_create(&later.config, NULL) != TESSERA_OK);
    SAID("sampler is NULL; it is required");
    later.config.sizeof_config = sizeof(later);
    later.more[7] = 1;
    expect_create(__LINE__, &later.config,
                  "config has a value at byte 79 that this library (version "
                  "*.*.*) does not know; it must be 0");
    NOT_CREATED(config.sizeof_config = 8,
                "config.sizeof_config is 8; its range is 72 .. 65536");
    NOT_CREATED(config.contract_version = 7,
                "config.contract_version is 7; this library has 1");
    NOT_CREATED(config.device = (enum tessera_device)9,
                "config.device is 9; its range is 0 .. 2");
    NOT_CREATED(config.vocab = 0,
                "config.vocab is 0; its range is 1 .. 4194304");
    NOT_CREATED(config.max_rows = 0,
                "config.max_rows is 0; its range is 1 .. 2147483647");
    NOT_CREATED(config.max_history = -1,
                "config.max_history is -1; its range is 0 .. 2147483647");
    NOT_CREATED(config.max_edits = -1,
                "config.max_edits is -1; its range is 0 .. 2147483647");
    NOT_CREATED(config.max_top_logprobs = 65,
                "config.max_top_logprobs is 65; its range is 0 .. 64");
    NOT_CREATED(config.plans = 12,
                "config.plans is 0xc; only the bits 0x3 mean something");
    NOT_CREATED(config.workspace_limit = 0,
                "config.workspace_limit is 0; its range is 1 and above");
    NOT_CREATED(config.threads = 1025,
                "config.threads is 1025; its range is 0 .. 1024");
    NOT_CREATED(config.device_ordinal = 1,
                "config.device_ordinal is 1; its range is 0 .. 0");
    if (tessera_device_count(TESSERA_DEVICE_CUDA) == 0)
        NOT_CREATED(config.device = TESSERA_DEVICE_CUDA,
                    "config.device is cuda; ?*");
}

static void provoke_memory(void)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_sampler *sampler;
    void *memory;
    char byte = 0;

    config.vocab = 40;
    cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
    cr_assert(tessera_workspace_bytes(sampler, 4097) == 0);
    SAID("rows is 4097; its range is 0 .. 4096");
    cr_assert(tessera_memory_create(sampler, 0, &memory) != TESSERA_OK);
    SAID("bytes is 0; its range is 1 and above");
    cr_assert(tessera_memory_create(sampler, 1, NULL) != TESSERA_OK);
    SAID("memory is NULL; it is required");
    cr_assert(tessera_memory_write(sampler, NULL, &byte, 1) != TESSERA_OK);
    SAID("to is NULL; it is required");
    cr_assert(tessera_memory_read(sampler, &byte, NULL, 1) != TESSERA_OK);
    SAID("from is NULL; it is required");
    tessera_free(sampler);
}

#define NOT_SAMPLED(change, pattern)                                           \
    do {                                                                       \
        struct call whole;                                                     \
        struct call call;                                                      \
        build_full_call(&whole, next_backend(NULL, true));                     \
        call = whole;                                                          \
        change;                                                                \
        cr_assert(call_run(&call) == TESSERA_BAD_ARGUMENT);                    \
        SAID(pattern);                                                         \
        call_free(&whole);                                                     \
    } while (0)

/* A pattern for a pointer that is not a multiple of 'bytes'. */
#define OFF(name, bytes)                                                       \
    name " is 0x*; it must be a multiple of " bytes " bytes"

static void *off(const void *pointer)
{
    return (char *)(uintptr_t)pointer + 1;
}

static void provoke_sample(void)
{
    NOT_SAMPLED(call.sampler = NULL, "sampler is NULL; it is required");
    NOT_SAMPLED(call.workspace = NULL, "workspace is NULL; it is required");
    NOT_SAMPLED(call.workspace = off(call.workspace), OFF("workspace", "16"));
    NOT_SAMPLED(call.workspace_bytes = 9,
                "workspace_bytes is 9; 3 rows need at least *");
    NOT_SAMPLED(call.batch.sizeof_batch = 1,
                "batch.sizeof_batch is 1; its range is * .. 65536");
    NOT_SAMPLED(call.outputs.sizeof_outputs = 65537,
                "outputs.sizeof_outputs is 65537; its range is * .. 65536");
    NOT_SAMPLED(call.batch.rows = 5, "batch.rows is 5; its range is 0 .. 4");
    NOT_SAMPLED(call.batch.logits = NULL,
                "batch.logits is NULL; it is required");
    NOT_SAMPLED(call.batch.logits = off(call.batch.logits),
                OFF("batch.logits", "4"));
    NOT_SAMPLED(call.batch.logits_stride = -3,
                "batch.logits_stride is -3; its range is 40 .. "
                "2305843009213693951");
    NOT_SAMPLED(call.batch.params_stride = 68,
                "batch.params_stride is 68; it must be a multiple of 8");
    NOT_SAMPLED(call.batch.params_stride = PTRDIFF_MAX / 3,
                "batch.params_stride is 3074457345618258602; it must be a "
                "multiple of 8");
    NOT_SAMPLED(call.batch.params_stride = SIZE_MAX,
                "batch.params_stride is 18446744073709551615; its range is 64 "
                ".. 3074457345618258602");
    NOT_SAMPLED(call.batch.stages = 0x61,
                "batch.stages is 0x61; only the bits 0x1f mean something");
    NOT_SAMPLED(call.batch.prompt.offsets = NULL,
                "batch.prompt.offsets is NULL; it is required where "
                "batch.prompt.lengths is given");
    NOT_SAMPLED(call.batch.bias_offsets = NULL,
                "batch.bias_offsets is NULL; it is required where batch.biases "
                "is given");
    NOT_SAMPLED(call.batch.masks = NULL,
                "batch.mask_count without batch.masks is 1; its range is 0 .. "
                "0");
    NOT_SAMPLED(call.outputs.weight_sum = off(call.outputs.weight_sum),
                OFF("outputs.weight_sum", "8"));
    NOT_SAMPLED(call.outputs.top_n = 6,
                "outputs.top_n is 6; its range is 0 .. 5");
}

static const struct tessera_params initial = TESSERA_PARAMS_INIT;

/* A parameter set to a value that its range lacks, if it lacks one; then the
 * text that is due is in 'text'. */
static bool spoil(const struct tessera_parameter *parameter,
                  struct tessera_params *params, char *text, size_t room)
{
    void *field = (char *)params + parameter->offset;
    char value[32];

    switch (parameter->type) {
    case TESSERA_PARAMETER_FLOAT:
        *(float *)field = nextafterf((float)parameter->maximum, INFINITY);
        snprintf(value, sizeof(value), "%.9g", (double)*(float *)field);
        break;
    case TESSERA_PARAMETER_INT:
        if (parameter->minimum == INT32_MIN)
            return false;
        *(int32_t *)field = INT32_MIN;
        snprintf(value, sizeof(value), "-2147483648");
        break;
    case TESSERA_PARAMETER_WORD:
        if (parameter->maximum_word == UINT64_MAX)
            return false;
        *(uint64_t *)field = UINT64_MAX;
        snprintf(value, sizeof(value), "18446744073709551615");
        break;
    case TESSERA_PARAMETER_BOOL:
        return false;
    }
    snprintf(text, room, "%s is %s; its range is %s", parameter->name, value,
             parameter->range);
    return true;
}

static void provoke_params_check(void)
{
    const struct tessera_parameter *parameter;

    cr_assert(tessera_params_check(NULL, NULL) == TESSERA_BAD_ARGUMENT);
    SAID("params is NULL; it must point to the parameters of a row");
    for (size_t i = 0; (parameter = tessera_parameter_info(i)) != NULL; i++) {
        struct tessera_params params = initial;
        char text[128];

        if (!spoil(parameter, &params, text, sizeof(text)))
            continue;
        cr_assert(tessera_params_check(&params, NULL) == TESSERA_BAD_ARGUMENT);
        SAID("*");
        cr_assert(strcmp(tessera_last_error(), text) == 0, "'%s' is not '%s'",
                  tessera_last_error(), text);
    }
}

#define NOT_AN_EDIT(change, pattern)                                           \
    do {                                                                       \
        struct tessera_bias biases[] = {{3, 1}, {7, -1.5f}};                   \
        int32_t bans[] = {5, 5};                                               \
        struct tessera_edits edits = {10, 2, 2, biases, bans};                 \
        cr_assert(tessera_params_check(&initial, &edits) == TESSERA_OK);       \
        change;                                                                \
        cr_assert(tessera_params_check(&initial, &edits) ==                    \
                  TESSERA_BAD_ARGUMENT);                                       \
        SAID(pattern);                                                         \
    } while (0)

static void provoke_edits(void)
{
    NOT_AN_EDIT(edits.vocab = 4194305,
                "edits.vocab is 4194305; its range is 1 .. 4194304");
    NOT_AN_EDIT(edits.bias_count = -1,
                "edits.bias_count is -1; its range is 0 .. 2147483647, and 0 "
                "where edits.biases is NULL");
    NOT_AN_EDIT(edits.bans = NULL,
                "edits.ban_count is 2; its range is 0 .. 2147483647, and 0 "
                "where edits.bans is NULL");
    NOT_AN_EDIT(biases[1].token = 10,
                "the token of bias 1 is 10; its range is 0 .. 9");
    NOT_AN_EDIT(biases[1].token = 2,
                "the token of bias 1 is 2 after 3; tokens must ascend, each "
                "once");
    NOT_AN_EDIT(biases[1].value = INFINITY,
                "the value of bias 1 (token 7) is inf; its range is finite or "
                "-inf");
    NOT_AN_EDIT(bans[1] = -1, "the token of ban 1 is -1; its range is 0 .. 9");
}

/* What memory that cannot be had says is in allocation.c; what a plugin of
 * another version says needs one. */
Test(messages, each_text_names_what_is_wrong_its_value_and_what_it_must_be)
{
    static const char *const unseen[] = {
        "a sampler of * bytes could not be allocated",
        "* bytes of memory could not be allocated",
        "config.device is cuda; *",
        NULL,
    };

    provoke_create();
    provoke_memory();
    provoke_sample();
    provoke_params_check();
    provoke_edits();
    expect_all_seen("host", "tessera_fail", unseen);
}

Test(messages, a_text_stays_under_200_bytes_with_the_longest_values)
{
    struct tessera_bias biases[] = {{INT32_MIN, 1}};
    struct tessera_edits edits = {1, 1, 0, biases, NULL};

    cr_assert(tessera_params_check(&initial, &edits) == TESSERA_BAD_ARGUMENT);
    SAID("the token of bias 0 is -2147483648; its range is 0 .. 0");
    NOT_SAMPLED(call.workspace_bytes = 0, "workspace_bytes is 0; *");
    NOT_SAMPLED(call.batch.logits_rows = INT64_MIN,
                "batch.logits_rows is -9223372036854775808; its range is 1 .. "
                "*");
}
