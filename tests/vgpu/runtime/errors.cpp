/*
 * errors.cpp - the last error, and errors by name
 */

#include "errors.h"

#include "state.h"

namespace vgpu
{

namespace
{

struct Named {
    cudaError_t error;
    const char *name, *text;
};

#define NAMED(error, text)                                                     \
    {                                                                          \
        error, #error, text                                                    \
    }

/* Those that the stand-in gives. */
const Named names[] = {
    NAMED(cudaSuccess, "no error"),
    NAMED(cudaErrorInvalidValue, "invalid argument"),
    NAMED(cudaErrorMemoryAllocation, "out of memory"),
    NAMED(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    NAMED(cudaErrorInvalidSymbol, "invalid device symbol"),
    NAMED(cudaErrorMissingConfiguration,
          "__global__ function call is not configured"),
    NAMED(cudaErrorInvalidDeviceFunction, "invalid device function"),
    NAMED(cudaErrorInvalidDevice, "invalid device ordinal"),
    NAMED(cudaErrorNoKernelImageForDevice,
          "no kernel image is available for execution on the device"),
    NAMED(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    NAMED(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    NAMED(cudaErrorIllegalState,
          "the operation cannot be performed in the present state"),
    NAMED(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    NAMED(cudaErrorLaunchOutOfResources,
          "too many resources requested for launch"),
    NAMED(cudaErrorMisalignedAddress, "misaligned address"),
    NAMED(cudaErrorLaunchFailure, "unspecified launch failure"),
    NAMED(cudaErrorNotReady, "device not ready"),
    NAMED(cudaErrorUnknown, "unknown error"),
    NAMED(cudaErrorNotSupported, "operation not supported"),
    NAMED(cudaErrorStreamCaptureUnsupported,
          "operation not permitted when stream is capturing"),
    NAMED(cudaErrorStreamCaptureInvalidated,
          "operation failed due to a previous error during capture"),
    NAMED(cudaErrorStreamCaptureMerge,
          "operation would result in a merge of separate capture sequences"),
    NAMED(cudaErrorStreamCaptureUnmatched,
          "capture was not ended in the same stream as it began"),
    NAMED(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    NAMED(cudaErrorStreamCaptureIsolation,
          "dependency created on uncaptured work in another stream"),
    NAMED(cudaErrorStreamCaptureImplicit,
          "operation would make the legacy stream depend on a capturing "
          "blocking stream"),
    NAMED(cudaErrorCapturedEvent,
          "operation not permitted on an event last recorded in a capturing "
          "stream"),
};

const Named *find(cudaError_t error)
{
    for (const Named &named : names)
        if (named.error == error)
            return &named;
    return nullptr;
}

} // namespace

cudaError_t error_named(const std::string &name)
{
    for (const Named &named : names)
        if (name == named.name)
            return named.error;
    return cudaSuccess;
}

} // namespace vgpu

using namespace vgpu;

extern "C" {

/* An error that stays is seen whoever's call it was. */
cudaError_t cudaGetLastError(void)
{
    const void *caller = __builtin_return_address(0);
    Hold hold(state().lock);
    cudaError_t error = last_error(caller);
    last_error(caller) = cudaSuccess;
    return broken() != cudaSuccess ? broken() : error;
}

cudaError_t cudaPeekAtLastError(void)
{
    const void *caller = __builtin_return_address(0);
    Hold hold(state().lock);
    return broken() != cudaSuccess ? broken() : last_error(caller);
}

const char *cudaGetErrorName(cudaError_t error)
{
    const Named *named = find(error);
    return named ? named->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const Named *named = find(error);
    return named ? named->text : "unrecognized error code";
}

} // extern "C"
