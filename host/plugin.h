/*
 * plugin.h - between the library and its CUDA plugin
 *
 * libtessera_cuda.so exports one function, tessera_plugin(), of the type below.
 * The two are built from one source tree; the number guards against a plugin of
 * another version being found.
 */

#ifndef TESSERA_PLUGIN_H
#define TESSERA_PLUGIN_H

#include "sampler.h"

#define TESSERA_PLUGIN_VERSION 3

/* What the plugin uses of the library. */
struct tessera_plugin_host {
    int32_t version;
    enum tessera_status (*fail)(enum tessera_status status, const char *format,
                                ...);
    const struct tessera_parameter *(*parameter_info)(size_t index);
    uint32_t (*params_stages)(const struct tessera_params *params);
};

/* The plugin's backend; NULL if it is of another version.  host is kept. */
typedef const struct tessera_backend *(*tessera_plugin_function)(
    const struct tessera_plugin_host *host);

#endif
