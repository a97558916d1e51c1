/*
 * fake_plugin.c - the reference where the CUDA plugin would be
 *
 * "Device memory" is the host's, and streams do nothing.
 */

#include "../../host/plugin.h"

TESSERA_API const struct tessera_backend *
tessera_plugin(const struct tessera_plugin_host *host);

static int32_t device_count(const char **why)
{
    (void)why;
    return 1;
}

static enum tessera_status create(struct tessera_sampler *sampler)
{
    (void)sampler;
    return TESSERA_OK;
}

const struct tessera_backend *
tessera_plugin(const struct tessera_plugin_host *host)
{
    static struct tessera_backend backend;

    (void)host;
    backend = tessera_reference_backend;
    backend.name = "cuda";
    backend.device_count = device_count;
    backend.create = create;
    return &backend;
}
