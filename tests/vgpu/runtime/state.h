/*
 * state.h - what the calls of the stand-in runtime share: one lock, the
 * error that stays, the last error of each thread
 */

#ifndef VGPU_STATE_H
#define VGPU_STATE_H

#include <cuda_runtime_api.h>

#include <mutex>

namespace vgpu
{

struct State {
    std::recursive_mutex lock;

    /* After a kernel failed every call answers with this. */
    cudaError_t broken = cudaSuccess;
};

State &state();

/* The calling thread's. */
cudaError_t &last_error();

inline cudaError_t noted(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error() = error;
    return error;
}

/* The body of a runtime call. */
template <typename Body>
cudaError_t call(Body body)
{
    std::lock_guard<std::recursive_mutex> hold(state().lock);
    if (state().broken != cudaSuccess)
        return noted(state().broken);
    return noted(body());
}

} // namespace vgpu

#endif
