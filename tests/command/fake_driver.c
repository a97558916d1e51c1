/*
 * fake_driver.c - a CUDA driver of no device, which says what was asked of it
 */

#include "fake_driver.h"

#include "../../host/cli/cuda_driver.h"

#include <string.h>

#define REPLAY_MS 2.0f
#define COPY_MS 1.0f
#define FAILURE 700

/* What cuda.h declares; each is called through cuda_driver.c's table. */
#define DRIVER(name, ...)                                                      \
    unsigned name(__VA_ARGS__);                                                \
    unsigned name(__VA_ARGS__)

static struct fake_driver fake = {.memory_type = CUDA_DEVICE_MEMORY};

/* Of the work between the last two events, and since the last. */
static float ms_between;
static float ms_since;

struct fake_driver *fake_driver(void);
struct fake_driver *fake_driver(void)
{
    return &fake;
}

static unsigned called(const char *name)
{
    size_t used = strlen(fake.calls);
    size_t length = strlen(name);

    if (used + length + 2 <= sizeof(fake.calls)) {
        memcpy(fake.calls + used, name, length);
        memcpy(fake.calls + used + length, " ", 2);
    }
    return fake.failing && strcmp(fake.failing, name) == 0 ? FAILURE : 0;
}

/* Any address will do for an object. */
static unsigned make(const char *name, void *object)
{
    void *address = &fake;
    unsigned result = called(name);

    if (result == 0) {
        memcpy(object, &address, sizeof(address));
        fake.live++;
    }
    return result;
}

static unsigned destroy(const char *name)
{
    fake.live--;
    return called(name);
}

DRIVER(cuInit, unsigned flags)
{
    (void)flags;
    return called("Init");
}

DRIVER(cuGetErrorName, unsigned result, const char **name)
{
    *name = result == FAILURE ? "CUDA_ERROR_ILLEGAL_ADDRESS" : NULL;
    return 0;
}

DRIVER(cuDeviceGet, int *device, int ordinal)
{
    *device = ordinal;
    return called("DeviceGet");
}

DRIVER(cuDevicePrimaryCtxRetain, cuda_context *context, int device)
{
    (void)device;
    return make("ContextRetain", context);
}

DRIVER(cuDevicePrimaryCtxRelease_v2, int device)
{
    (void)device;
    return destroy("ContextRelease");
}

DRIVER(cuCtxSetCurrent, cuda_context context)
{
    (void)context;
    return called("ContextSet");
}

DRIVER(cuPointerGetAttribute, void *value, unsigned attribute,
       cuda_address address)
{
    (void)address;
    if (attribute == CUDA_MEMORY_TYPE)
        memcpy(value, &fake.memory_type, sizeof(fake.memory_type));
    return called("PointerAttribute");
}

DRIVER(cuStreamCreate, tessera_stream *stream, unsigned flags)
{
    (void)flags;
    return make("StreamCreate", stream);
}

DRIVER(cuStreamDestroy_v2, tessera_stream stream)
{
    (void)stream;
    return destroy("StreamDestroy");
}

DRIVER(cuStreamBeginCapture_v2, tessera_stream stream, unsigned mode)
{
    (void)stream;
    (void)mode;
    return called("BeginCapture");
}

DRIVER(cuStreamEndCapture, tessera_stream stream, cuda_graph *graph)
{
    (void)stream;
    return make("EndCapture", graph);
}

DRIVER(cuEventCreate, cuda_event *event, unsigned flags)
{
    (void)flags;
    return make("EventCreate", event);
}

DRIVER(cuEventDestroy_v2, cuda_event event)
{
    (void)event;
    return destroy("EventDestroy");
}

DRIVER(cuEventRecord, cuda_event event, tessera_stream stream)
{
    (void)event;
    (void)stream;
    ms_between = ms_since;
    ms_since = 0;
    return called("Record");
}

DRIVER(cuEventSynchronize, cuda_event event)
{
    (void)event;
    return called("Synchronize");
}

DRIVER(cuEventElapsedTime, float *ms, cuda_event start, cuda_event stop)
{
    (void)start;
    (void)stop;
    *ms = ms_between;
    return called("Elapsed");
}

DRIVER(cuGraphInstantiateWithFlags, cuda_graph_exec *exec, cuda_graph graph,
       unsigned long long flags)
{
    (void)graph;
    (void)flags;
    return make("Instantiate", exec);
}

DRIVER(cuGraphLaunch, cuda_graph_exec exec, tessera_stream stream)
{
    (void)exec;
    (void)stream;
    ms_since += REPLAY_MS;
    return called("Launch");
}

DRIVER(cuGraphExecDestroy, cuda_graph_exec exec)
{
    (void)exec;
    return destroy("ExecDestroy");
}

DRIVER(cuGraphDestroy, cuda_graph graph)
{
    (void)graph;
    return destroy("GraphDestroy");
}

DRIVER(cuMemcpyDtoDAsync_v2, cuda_address to, cuda_address from, size_t bytes,
       tessera_stream stream)
{
    (void)stream;
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    ms_since += COPY_MS;
    return called("Copy");
}
