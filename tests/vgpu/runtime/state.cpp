/*
 * state.cpp - what the calls of the stand-in runtime share
 */

#include "state.h"

#include <dlfcn.h>

namespace vgpu
{

State &state()
{
    static State *instance = new State; /* outlives every static object */
    return *instance;
}

int &current_device()
{
    static thread_local int device;
    return device;
}

/* Nothing to destroy: a thread's calls may come from its last destructors. */
cudaError_t &last_error(const void *caller)
{
    struct OfLibrary {
        const void *base;
        cudaError_t error;
    };
    constexpr int most_libraries = 8; /* more would share the last */
    static thread_local OfLibrary all[most_libraries];
    Dl_info library = {};
    dladdr(caller, &library);
    int i = 0;
    while (i < most_libraries - 1 && all[i].base &&
           all[i].base != library.dli_fbase)
        i++;
    all[i].base = library.dli_fbase;
    return all[i].error;
}

} // namespace vgpu
