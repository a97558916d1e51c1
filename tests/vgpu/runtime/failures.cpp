/*
 * failures.cpp - calls that are told to fail
 */

#include "errors.h"
#include "settings.h"
#include "state.h"

#include "../vgpu.h"

namespace vgpu
{

namespace
{

struct Failure {
    unsigned long calls = 0; /* until the one that fails; 0: none will */
    cudaError_t error = cudaSuccess;
    const char *failed = nullptr;
};

Failure &failure()
{
    static Failure instance = {settings().fail_call, settings().fail_with,
                               nullptr};
    return instance;
}

/* Errors after which a device answers no other call of the process. */
bool stays(cudaError_t error)
{
    return error == cudaErrorIllegalAddress ||
           error == cudaErrorMisalignedAddress ||
           error == cudaErrorLaunchFailure || error == cudaErrorLaunchTimeout ||
           error == cudaErrorIllegalInstruction ||
           error == cudaErrorHardwareStackError ||
           error == cudaErrorInvalidPc || error == cudaErrorAssert ||
           error == cudaErrorInvalidAddressSpace ||
           error == cudaErrorECCUncorrectable;
}

} // namespace

cudaError_t failure_due(const char *name)
{
    Failure &f = failure();
    if (f.calls == 0 || --f.calls > 0)
        return cudaSuccess;
    f.failed = name;
    if (stays(f.error))
        broken() = f.error;
    return f.error;
}

cudaError_t noted(cudaError_t error, const void *caller)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error(caller) = error;
    return error;
}

} // namespace vgpu

using namespace vgpu;

extern "C" {

void vgpu_fail_call(unsigned long k, cudaError_t error)
{
    Hold hold(state().lock);
    failure() = {k, error, nullptr};
}

const char *vgpu_failed_call(void)
{
    Hold hold(state().lock);
    return failure().failed;
}

int vgpu_current_device(void)
{
    return current_device();
}

void vgpu_mend(void)
{
    Hold hold(state().lock);
    for (cudaError_t &error : state().broken)
        error = cudaSuccess;
}

} // extern "C"
