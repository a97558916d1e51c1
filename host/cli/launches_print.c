/*
 * launches_print.c - which kernels a sampler ran, as a line
 */

#include "json_output.h"
#include "launches.h"

#include <inttypes.h>
#include <stdio.h>

static int print_json(const struct launches *launches,
                      const struct backend_choice *backend)
{
    const struct launch_count *known = launches->kernels.items;
    json_t *kernels = json_object();
    json_t *object = json_object();
    bool good = kernels != NULL;

    for (size_t i = 0; i < launches->kernels.count && good; i++)
        good =
            json_put(kernels, known[i].kernel, json_of_word(known[i].launches));
    kernels = json_whole(kernels, good);
    good = json_put_backend(object, backend);
    good = json_put(object, "kernels", kernels) && good;
    return json_print(json_whole(object, good));
}

static void print_text(const struct launches *launches, const char *label)
{
    const struct launch_count *known = launches->kernels.items;

    printf("%s ran", label);
    for (size_t i = 0; i < launches->kernels.count; i++)
        printf("%s %s (%" PRIu64 ")", i > 0 ? "," : "", known[i].kernel,
               known[i].launches);
    putchar('\n');
}

int launches_print(const struct launches *launches,
                   const struct backend_choice *backend, bool json)
{
    char label[BACKEND_LABEL_BYTES];

    if (backend->device != TESSERA_DEVICE_CUDA)
        return CLI_OK;
    if (launches->failed)
        return report_memory();
    backend_label(backend, label);
    if (launches->kernels.count == 0)
        return report(CLI_FAILED, "%s ran no kernel", label);
    if (json)
        return print_json(launches, backend);
    print_text(launches, label);
    return CLI_OK;
}
