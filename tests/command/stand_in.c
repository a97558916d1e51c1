/*
 * stand_in.c - a plugin in the place of CUDA's: the reference, in host memory
 *
 * So that what the command says of the backend cuda is tested where there is
 * none.  It has the plan staged alone, and tells of two kernels, one of them
 * launched twice; STAND_IN_SILENT makes one that tells of none.  With
 * STAND_IN_WITHOUT_CODE in the environment its device is one that it was not
 * compiled for.
 */

#include "../../host/error.h"
#include "../../host/plugin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct tessera_plugin_host *host;
static struct tessera_backend backend;

/* What the reference says goes to the library, as a plugin's errors do. */
enum tessera_status tessera_fail(enum tessera_status status, const char *format,
                                 ...)
{
    char text[256];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    return host->fail(status, "%s", text);
}

static int32_t device_count(const char **why)
{
    (void)why;
    return 1;
}

static enum tessera_status create(struct tessera_sampler *sampler)
{
    if (getenv("STAND_IN_WITHOUT_CODE"))
        return host->fail(
            TESSERA_UNAVAILABLE,
            "config.device_ordinal is 0; there is no code for it");
    if (sampler->config.plans == TESSERA_PLAN_FUSED)
        return host->fail(TESSERA_UNAVAILABLE,
                          "config.plans is fused; this library has staged");
    sampler->backend = &backend;
    return TESSERA_OK;
}

static enum tessera_status sample(const struct tessera_sampler *sampler,
                                  void *workspace,
                                  const struct tessera_batch *batch,
                                  const struct tessera_outputs *outputs,
                                  tessera_stream stream)
{
#ifndef STAND_IN_SILENT
    const struct tessera_config *config = &sampler->config;

    if (config->on_launch) {
        config->on_launch(config->launch_context, "twice");
        config->on_launch(config->launch_context, "once");
        config->on_launch(config->launch_context, "twice");
    }
#endif
    return tessera_reference_backend.sample(sampler, workspace, batch, outputs,
                                            stream);
}

TESSERA_API const struct tessera_backend *
tessera_plugin(const struct tessera_plugin_host *from);

const struct tessera_backend *
tessera_plugin(const struct tessera_plugin_host *from)
{
    host = from;
    backend = tessera_reference_backend;
    backend.name = "cuda";
    backend.device_count = device_count;
    backend.create = create;
    backend.sample = sample;
    return from->version == TESSERA_PLUGIN_VERSION ? &backend : NULL;
}
