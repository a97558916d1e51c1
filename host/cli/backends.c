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

bool backend_parse(const char *text, struct backend_choice *choice)
{
    const char *colon = strchr(text, ':');
    int64_t ordinal = 0;

    *choice = (struct backend_choice){false, TESSERA_DEVICE_REFERENCE, 0};
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

const char *backend_absence(enum tessera_device device)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_sampler *sampler;

    config.device = device;
    config.vocab = 1;
    if (tessera_create(&config, &sampler) == TESSERA_OK) {
        tessera_free(sampler);
        return "it is here";
    }

    /* After what the value is, the reason. */
    const char *reason = strstr(tessera_last_error(), "; ");
    return reason ? reason + 2 : tessera_last_error();
}

int backend_settle(struct backend_choice *choice, enum cli_exit missing)
{
    if (choice->automatic) {
        int best = BACKEND_COUNT - 1;

        while (best > 0 && tessera_device_count((enum tessera_device)best) == 0)
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
    return CLI_OK;
}
