/*
 * registry.cpp - what nvcc's host code registers before main()
 *
 * Kernels are known by fat binary and name: two fat binaries may hold
 * kernels of one name.
 */

#include "registry.h"

#include "state.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vgpu
{

namespace
{

struct Symbol {
    Module *module;
    std::string name;
};

struct Registry {
    std::vector<std::unique_ptr<Module>> modules;
    std::map<const void *, Symbol> kernels; /* by stub */
    std::map<const void *, Symbol> variables;
};

Registry &registry()
{
    static Registry *instance = new Registry;
    return *instance;
}

cudaError_t loaded(Module &module)
{
    switch (load(module)) {
    case Loading::done:
        return cudaSuccess;
    case Loading::no_image:
        return cudaErrorNoKernelImageForDevice;
    default:
        return cudaErrorInvalidPtx;
    }
}

template <typename Map>
void forget(Map &map, const Module *module)
{
    for (auto i = map.begin(); i != map.end();)
        i = i->second.module == module ? map.erase(i) : std::next(i);
}

} // namespace

cudaError_t find_kernel(const void *handle, Kernel **kernel)
{
    auto found = registry().kernels.find(handle);
    if (found == registry().kernels.end())
        return cudaErrorInvalidDeviceFunction;
    Symbol &symbol = found->second;
    cudaError_t error = loaded(*symbol.module);
    if (error != cudaSuccess)
        return error;
    auto named = symbol.module->kernels.find(symbol.name);
    if (named == symbol.module->kernels.end())
        return cudaErrorInvalidDeviceFunction;
    *kernel = &named->second;
    return cudaSuccess;
}

cudaError_t find_code(const void *handle, Kernel **kernel)
{
    cudaError_t error = find_kernel(handle, kernel);
    if (error == cudaSuccess && !load_code(**kernel))
        error = cudaErrorInvalidPtx;
    return error;
}

cudaError_t find_variable(const void *symbol, Variable *variable)
{
    auto found = registry().variables.find(symbol);
    if (found == registry().variables.end())
        return cudaErrorInvalidSymbol;
    cudaError_t error = loaded(*found->second.module);
    if (error != cudaSuccess)
        return error;
    const Module &module = *found->second.module;
    for (const Variable &v : module.variables[current_device()])
        if (v.name == found->second.name && v.address) {
            *variable = v;
            return cudaSuccess;
        }
    return cudaErrorInvalidSymbol;
}

} // namespace vgpu

using namespace vgpu;

extern "C" {

void **__cudaRegisterFatBinary(void *wrapper)
{
    Hold hold(state().lock);
    registry().modules.push_back(std::make_unique<Module>());
    registry().modules.back()->wrapper = wrapper;
    return reinterpret_cast<void **>(registry().modules.back().get());
}

void __cudaRegisterFatBinaryEnd(void **)
{
}

char __cudaInitModule(void **)
{
    return 1;
}

void __cudaUnregisterFatBinary(void **handle)
{
    Hold hold(state().lock);
    Module *module = reinterpret_cast<Module *>(handle);
    forget(registry().kernels, module);
    forget(registry().variables, module);
    unload(*module);
    auto &all = registry().modules;
    for (auto i = all.begin(); i != all.end(); ++i)
        if (i->get() == module) {
            all.erase(i);
            break;
        }
}

void __cudaRegisterFunction(void **handle, const char *stub, char *,
                            const char *name, int, uint3 *, uint3 *, dim3 *,
                            dim3 *, int *)
{
    Hold hold(state().lock);
    registry().kernels[stub] = {reinterpret_cast<Module *>(handle), name};
}

void __cudaRegisterVar(void **handle, char *shadow, char *, const char *name,
                       int, size_t, int, int)
{
    Hold hold(state().lock);
    registry().variables[shadow] = {reinterpret_cast<Module *>(handle), name};
}

/* A kernel's handle is its stub's address. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
    return call([&] {
        if (!registry().kernels.count(stub))
            return cudaErrorInvalidDeviceFunction;
        *kernel = (cudaKernel_t)stub;
        return cudaSuccess;
    });
}

} // extern "C"
