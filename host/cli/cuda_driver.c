/*
 * cuda_driver.c - open the CUDA driver
 */

#include "cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define DRIVER_NAME "libcuda.so.1"

/* The names are those that cuda.h of CUDA 12 and 13 gives the functions. */
static const struct {
    const char *name;
    size_t offset; /* of a pointer in struct cuda_driver */
} functions[] = {
    {"cuInit", offsetof(struct cuda_driver, init)},
    {"cuGetErrorName", offsetof(struct cuda_driver, error_name)},
    {"cuDeviceGet", offsetof(struct cuda_driver, device_get)},
    {"cuDevicePrimaryCtxRetain", offsetof(struct cuda_driver, context_retain)},
    {"cuDevicePrimaryCtxRelease_v2",
     offsetof(struct cuda_driver, context_release)},
    {"cuCtxSetCurrent", offsetof(struct cuda_driver, context_set)},
    {"cuPointerGetAttribute", offsetof(struct cuda_driver, pointer_attribute)},
    {"cuStreamCreate", offsetof(struct cuda_driver, stream_create)},
    {"cuStreamDestroy_v2", offsetof(struct cuda_driver, stream_destroy)},
    {"cuStreamBeginCapture_v2",
     offsetof(struct cuda_driver, stream_begin_capture)},
    {"cuStreamEndCapture", offsetof(struct cuda_driver, stream_end_capture)},
    {"cuEventCreate", offsetof(struct cuda_driver, event_create)},
    {"cuEventDestroy_v2", offsetof(struct cuda_driver, event_destroy)},
    {"cuEventRecord", offsetof(struct cuda_driver, event_record)},
    {"cuEventSynchronize", offsetof(struct cuda_driver, event_synchronize)},
    {"cuEventElapsedTime", offsetof(struct cuda_driver, event_elapsed)},
    {"cuGraphInstantiateWithFlags",
     offsetof(struct cuda_driver, graph_instantiate)},
    {"cuGraphLaunch", offsetof(struct cuda_driver, graph_launch)},
    {"cuGraphExecDestroy", offsetof(struct cuda_driver, graph_exec_destroy)},
    {"cuGraphDestroy", offsetof(struct cuda_driver, graph_destroy)},
    {"cuMemcpyDtoDAsync_v2", offsetof(struct cuda_driver, copy)},
};

const struct cuda_driver *cuda_driver_open(const char **why)
{
    static struct cuda_driver driver;
    static char reason[256];
    void *library = dlopen(DRIVER_NAME, RTLD_NOW | RTLD_LOCAL);

    *why = reason;
    if (!library) {
        snprintf(reason, sizeof(reason), "%s", dlerror());
        return NULL;
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *symbol = dlsym(library, functions[i].name);

        if (!symbol) {
            snprintf(reason, sizeof(reason), DRIVER_NAME " has no %s",
                     functions[i].name);
            return NULL;
        }
        memcpy((char *)&driver + functions[i].offset, &symbol, sizeof(symbol));
    }
    return &driver;
}
