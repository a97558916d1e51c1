/*
 * state.cpp - what the calls of the stand-in runtime share
 */

#include "state.h"

namespace vgpu
{

State &state()
{
    static State *instance = new State; /* outlives every static object */
    return *instance;
}

cudaError_t &last_error()
{
    static thread_local cudaError_t error = cudaSuccess;
    return error;
}

} // namespace vgpu
