/*
 * backends.c - backends by the names that people type
 */

#include "backends.h"

#include "numbers.h"

#include <stdio.h>
#include <string.h>

static const char *const names[BACKEND_COUNT] = {
    [TESSERA_DEVICE_REFERENCE] = "reference",
    [TESSERA_DEVICE_CPU] = "cpu",
    [TESSERA_DEVICE_CUDA] = "cuda",
};

const char *backend_name(enum tessera_device device)
{
    return names[device];
}

static const char *const plan_names[PLAN_COUNT] = {"staged", "fused"};

const char *plan_name(uint32_t plans)
{
    for (int i = 0; i < PLAN_COUNT; i++)
        if (plans == UINT32_C(1) << i)
            return plan_names[i];
    return "auto";
}

bool plan_parse(const char *text, uint32_t *plans)
{
    *plans = 0;
    for (int i = 0; i < PLAN_COUNT; i++)
        if (strcmp(text, plan_names[i]) == 0)
            *plans = UINT32_C(1) << i;
    return *plans != 0 || strcmp(text, "auto") == 0;
}

void backend_label(const struct backend_choice *choice,
                   char label[BACKEND_LABEL_BYTES])
{
    snprintf(label, BACKEND_LABEL_BYTES, "%s%s%s", backend_name(choice->device),
             choice->plans != 0 ? " " : "",
             choice->plans != 0 ? plan_name(choice->plans) : "");
}

bool backend_parse(const char *text, struct backend_choice *choice)
{
    const char *colon = strchr(text, ':');
    int64_t ordinal = 0;

    choice->automatic = false;
    choice->device = TESSERA_DEVICE_REFERENCE;
    choice->ordinal = 0;
    if (strcmp(text, "auto") == 0) {
        choice->automatic = true;
        return true;
    }
    if (colon && strncmp(text, "cuda:", 5) == 0) {
        if (number_integer(colon + 1, &ordinal) != NUMBER_OK || ordinal < 0 ||
            ordinal > INT32_MAX)
            return false;
        choice->device = TESSERA_DEVICE_CUDA;
        choice->ordinal = (int32_t)ordinal;
        return true;
    }
    for (int i = 0; i < BACKEND_COUNT; i++) {
        if (strcmp(text, names[i]) == 0) {
            choice->device = (enum tessera_device)i;
            return true;
        }
    }
    return false;
}

/* Tries to make a small sampler. */
static enum tessera_status try_backend(const struct backend_choice *choice)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_sampler *sampler;

    config.device = choice->device;
    config.device_ordinal = choice->ordinal;
    config.plans = choice->plans;
    config.vocab = 1;
    enum tessera_status status = tessera_create(&config, &sampler);
    tessera_free(sampler);
    return status;
}

/* Of the last error, after what the value is. */
static const char *reason(void)
{
    const char *semicolon = strstr(tessera_last_error(), "; ");

    return semicolon ? semicolon + 2 : tessera_last_error();
}

const char *backend_absence(enum tessera_device device)
{
    const struct backend_choice choice = {.device = device};

    return try_backend(&choice) == TESSERA_OK ? "it is here" : reason();
}

const char *plan_absence(const struct backend_choice *choice)
{
    return try_backend(choice) == TESSERA_UNAVAILABLE ? reason() : NULL;
}

/* Whether a sampler can be had: a GPU may be one that the plugin has no code
 * for.  What the CPU backends lack, their user asked for. */
static bool is_here(enum tessera_device device)
{
    const struct backend_choice choice = {.device = device};

    return tessera_device_count(device) > 0 &&
           (device != TESSERA_DEVICE_CUDA || !plan_absence(&choice));
}

/* Each plan that is here, or only the one asked for. */
static int add_plans(const struct backend_choice *cuda, enum cli_exit missing,
                     struct backend_choice *choices, size_t *count)
{
    size_t before = *count;

    for (int i = 0; i < PLAN_COUNT; i++) {
        struct backend_choice choice = *cuda;

        choice.plans = UINT32_C(1) << i;
        if ((cuda->plans == 0 && !plan_absence(&choice)) ||
            cuda->plans == choice.plans)
            choices[(*count)++] = choice;
    }
    if (*count == before)
        return report(missing, "--backend is cuda; %s",
                      backend_absence(TESSERA_DEVICE_CUDA));
    return CLI_OK;
}

int backends_here(const struct backend_choice *asked, enum cli_exit missing,
                  struct backend_choice choices[BACKENDS_MOST], size_t *count)
{
    struct backend_choice cuda = *asked;
    bool all = cuda.automatic;

    *count = 0;
    if (!all && cuda.device != TESSERA_DEVICE_CUDA) {
        choices[(*count)++] = *asked;
        return backend_settle(&choices[0], missing);
    }
    for (int i = 0; all && i < TESSERA_DEVICE_CUDA; i++)
        if (tessera_device_count((enum tessera_device)i) > 0)
            choices[(*count)++] = (struct backend_choice){
                .device = (enum tessera_device)i, .threads = asked->threads};
    if (all && !is_here(TESSERA_DEVICE_CUDA)) {
        if (cuda.plans == 0)
            return CLI_OK;
        return report(missing, "--plan is %s; %s", plan_name(cuda.plans),
                      backend_absence(TESSERA_DEVICE_CUDA));
    }
    cuda.automatic = false;
    cuda.device = TESSERA_DEVICE_CUDA;
    int status = backend_settle(&cuda, missing);
    return status == CLI_OK ? add_plans(&cuda, missing, choices, count)
                            : status;
}

int backend_settle(struct backend_choice *choice, enum cli_exit missing)
{
    if (choice->automatic) {
        int best = BACKEND_COUNT - 1;

        while (best > 0 && !is_here((enum tessera_device)best))
            best--;
        choice->automatic = false;
        choice->device = (enum tessera_device)best;
    }

    int32_t count = tessera_device_count(choice->device);
    const char *name = backend_name(choice->device);
    if (count == 0)
        return report(missing, "--backend is %s; %s", name,
                      backend_absence(choice->device));
    if (choice->ordinal >= count)
        return report(missing, "--backend is %s:%d; its range is %s:0 .. %s:%d",
                      name, (int)choice->ordinal, name, name, (int)count - 1);
    if (choice->plans == 0)
        return CLI_OK;
    if (choice->device != TESSERA_DEVICE_CUDA)
        return report(CLI_USAGE,
                      "--plan is %s; the backend cuda has plans, %s has none",
                      plan_name(choice->plans), name);
    const char *absence = plan_absence(choice);
    if (absence)
        return report(missing, "--plan is %s; %s", plan_name(choice->plans),
                      absence);
    return CLI_OK;
}
