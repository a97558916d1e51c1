/*
 * cuda.c - find the CUDA plugin
 *
 * The CUDA backend is a library of its own, opened when it is asked for, so
 * that a host without a GPU carries no GPU code and a missing driver is an
 * error and not a program that does not start.  Once opened it stays: it cannot
 * be known when its device has finished with its kernels.
 */

#define _GNU_SOURCE /* dladdr, secure_getenv */

#include "check_row.h"
#include "error.h"
#include "plugin.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLUGIN_NAME "libtessera_cuda.so"

/* Where TESSERA_CUDA_LIBRARY says ('given'), or beside the library.  False: the
 * path is longer than the buffer. */
static bool plugin_path(const char *given, char *path, size_t size)
{
    Dl_info library;
    int length;

    if (given) {
        length = snprintf(path, size, "%s", given);
    } else {
        const char *slash = NULL;

        if (dladdr((const void *)&tessera_cuda_backend, &library) &&
            library.dli_fname)
            slash = strrchr(library.dli_fname, '/');
        if (slash)
            length =
                snprintf(path, size, "%.*s/" PLUGIN_NAME,
                         (int)(slash - library.dli_fname), library.dli_fname);
        else
            length = snprintf(path, size, PLUGIN_NAME);
    }
    return length >= 0 && (size_t)length < size;
}

static const struct tessera_backend *open_plugin(const char **why)
{
    static const struct tessera_plugin_host host = {
        .version = TESSERA_PLUGIN_VERSION,
        .fail = tessera_fail,
        .parameter_info = tessera_parameter_info,
        .params_stages = tessera_params_stages,
    };
    const char *given = secure_getenv("TESSERA_CUDA_LIBRARY");
    char path[4096];

    if (given && !*given)
        given = NULL;
    *why = given ? "there is no file where TESSERA_CUDA_LIBRARY says"
                 : PLUGIN_NAME " is not beside the library";
    if (!plugin_path(given, path, sizeof(path)))
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *fault = dlerror();

        if (fault &&
            ((given && !strchr(given, '/')) || access(path, F_OK) == 0))
            *why = fault;
        return NULL;
    }

    const struct tessera_backend *backend = NULL;
    void *symbol = dlsym(library, "tessera_plugin");
    if (symbol) {
        tessera_plugin_function plugin;

        /* POSIX gives a function this way; C does not. */
        memcpy(&plugin, &symbol, sizeof(plugin));
        backend = plugin(&host);
    }
    dlclose(library);
    if (!symbol)
        *why = given ? "what TESSERA_CUDA_LIBRARY names is no plugin of tessera"
                     : PLUGIN_NAME " is no plugin of tessera";
    else if (!backend)
        *why = "the CUDA plugin is of another version than this library";
    return backend;
}

static int32_t device_count(const char **why)
{
    const struct tessera_backend *backend = open_plugin(why);

    return backend ? backend->device_count(why) : 0;
}

static enum tessera_status create(struct tessera_sampler *sampler)
{
    const char *why;
    const struct tessera_backend *backend = open_plugin(&why);

    if (!backend)
        return tessera_fail(TESSERA_UNAVAILABLE, "config.device is cuda; %s",
                            why);
    sampler->backend = backend;
    return backend->create(sampler);
}

/* What is not here, a sampler never meets: create() puts the plugin's table in
 * this one's place. */
const struct tessera_backend tessera_cuda_backend = {
    .name = "cuda",
    .device_count = device_count,
    .create = create,
};
