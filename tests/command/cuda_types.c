/*
 * cuda_types.c - the driver's functions are of the types that the command
 * calls them by; to be compiled, where there is a cuda.h
 */

#include "../../host/cli/cuda_driver.h"

#include <cuda.h>

#define SAME(member, function)                                                 \
    _Static_assert(__builtin_types_compatible_p(                               \
                       __typeof__(((struct cuda_driver *)0)->member),          \
                       __typeof__(&(function))),                               \
                   #function)

SAME(init, cuInit);
SAME(error_name, cuGetErrorName);
SAME(device_get, cuDeviceGet);
SAME(context_retain, cuDevicePrimaryCtxRetain);
SAME(context_release, cuDevicePrimaryCtxRelease);
SAME(context_set, cuCtxSetCurrent);
SAME(pointer_attribute, cuPointerGetAttribute);
SAME(stream_create, cuStreamCreate);
SAME(stream_destroy, cuStreamDestroy);
SAME(stream_begin_capture, cuStreamBeginCapture);
SAME(stream_end_capture, cuStreamEndCapture);
SAME(event_create, cuEventCreate);
SAME(event_destroy, cuEventDestroy);
SAME(event_record, cuEventRecord);
SAME(event_synchronize, cuEventSynchronize);
SAME(event_elapsed, cuEventElapsedTime);
SAME(graph_instantiate, cuGraphInstantiate);
SAME(graph_launch, cuGraphLaunch);
SAME(graph_exec_destroy, cuGraphExecDestroy);
SAME(graph_destroy, cuGraphDestroy);
SAME(copy, cuMemcpyDtoDAsync);

_Static_assert(CUDA_MEMORY_TYPE == (int)CU_POINTER_ATTRIBUTE_MEMORY_TYPE, "");
_Static_assert(CUDA_DEVICE_MEMORY == (int)CU_MEMORYTYPE_DEVICE, "");
_Static_assert(CUDA_NON_BLOCKING == (int)CU_STREAM_NON_BLOCKING, "");
_Static_assert(CUDA_CAPTURE_OF_THREAD ==
                   (int)CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
               "");
