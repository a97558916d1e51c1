/*
 * errors.cpp - the last error, and errors by name
 */

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

} // namespace vgpu

using namespace vgpu;

extern "C" {

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last_error() = cudaSuccess;
    return error;
}

/* An error that stays is seen whoever's call it was. */
cudaError_t cudaPeekAtLastError(void)
{
    std::lock_guard<std::recursive_mutex> hold(state().lock);
    return state().broken != cudaSuccess ? state().broken : last_error();
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
