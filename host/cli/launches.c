/*
 * launches.c - which kernels a sampler ran, and how often
 */

#include "launches.h"

#include <string.h>

static void count(void *context, const char *kernel)
{
    struct launches *launches = context;
    struct launch_count *known = launches->kernels.items;

    for (size_t i = 0; i < launches->kernels.count; i++) {
        if (strcmp(known[i].kernel, kernel) == 0) {
            known[i].launches++;
            return;
        }
    }
    struct launch_count *added = list_append(&launches->kernels);
    if (added)
        *added = (struct launch_count){kernel, 1};
    else
        launches->failed = true;
}

void launches_watch(struct launches *launches, struct tessera_config *config)
{
    config->on_launch = count;
    config->launch_context = launches;
}

void launches_free(struct launches *launches)
{
    free(launches->kernels.items);
    *launches = (struct launches)LAUNCHES_INIT;
}
