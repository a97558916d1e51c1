/*
 * state.h - what the calls of the stand-in runtime share: one lock, the
 * errors that stay, the last error of each thread, and calls that fail
 */

#ifndef VGPU_STATE_H
#define VGPU_STATE_H

#include "lock.h"

#include <cuda_runtime_api.h>

#include <mutex>

namespace vgpu
{

/* Devices that can be played: VGPU_DEVICES. */
constexpr int most_devices = 2;

using Hold = std::lock_guard<Lock>;

struct State {
    Lock lock;

    /* After a kernel failed every call about its device answers with this. */
    cudaError_t broken[most_devices] = {};
};

State &state();

/* The calling thread's. */
int &current_device();

inline cudaError_t &broken()
{
    return state().broken[current_device()];
}

/* The calling thread's last error, of the library that 'caller' lies in: with
 * the runtime linked into each, as it is on a GPU, each has its own. */
cudaError_t &last_error(const void *caller);

/* Counts a call, and gives the error that it was told to fail with. */
cudaError_t failure_due(const char *name);

/* Notes an error of the library at 'caller'; one that no device survives stays.
 */
cudaError_t noted(cudaError_t error, const void *caller);

/* Call in the body of an exported function alone: who called it is known by
 * the return address. */
#define VGPU_ENTRY __attribute__((always_inline)) inline cudaError_t

/* The body of a runtime call. */
template <typename Body>
VGPU_ENTRY call(Body body, const char *name = __builtin_FUNCTION())
{
    const void *caller = __builtin_return_address(0);
    Hold hold(state().lock);
    cudaError_t error = failure_due(name);
    if (error == cudaSuccess)
        error = broken();
    if (error == cudaSuccess)
        error = body();
    return noted(error, caller);
}

/* The same for one that releases something.  It does, whatever it answers:
 * where it fails it tells of a launch before it. */
template <typename Body>
VGPU_ENTRY release_call(Body body, const char *name = __builtin_FUNCTION())
{
    const void *caller = __builtin_return_address(0);
    Hold hold(state().lock);
    cudaError_t due = failure_due(name);
    cudaError_t error = body();
    if (broken() != cudaSuccess)
        error = broken();
    return noted(due != cudaSuccess ? due : error, caller);
}

} // namespace vgpu

#endif
