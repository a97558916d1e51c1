/*
 * gpu.cpp - calls about the device and about kernels
 */

#include "arena.h"
#include "chip.h"
#include "registry.h"
#include "settings.h"
#include "state.h"
#include "streams.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace vgpu
{

namespace
{

cudaError_t attribute(cudaDeviceAttr which, int *value)
{
    const Chip &c = chip();
    switch (which) {
    case cudaDevAttrComputeCapabilityMajor:
        *value = c.major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = c.minor;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = c.multiprocessors;
        break;
    case cudaDevAttrWarpSize:
        *value = 32;
        break;
    case cudaDevAttrMaxThreadsPerBlock:
        *value = 1024;
        break;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
        *value = 1024;
        break;
    case cudaDevAttrMaxBlockDimZ:
        *value = 64;
        break;
    case cudaDevAttrMaxGridDimX:
        *value = 0x7fffffff;
        break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        *value = 65535;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = c.threads_per_multiprocessor;
        break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = c.blocks_per_multiprocessor;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = (int)c.shared_per_block;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)c.shared_per_block_optin;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = (int)c.shared_per_multiprocessor;
        break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = (int)c.reserved_shared;
        break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = 65536;
        break;
    case cudaDevAttrL2CacheSize:
        *value = (int)c.l2_bytes;
        break;
    case cudaDevAttrClockRate:
        *value = c.clock_khz;
        break;
    case cudaDevAttrMemoryClockRate:
        *value = c.memory_clock_khz;
        break;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = c.bus_bits;
        break;
    case cudaDevAttrUnifiedAddressing:
        *value = 1;
        break;
    case cudaDevAttrClusterLaunch:
        *value = c.clusters;
        break;
    case cudaDevAttrCooperativeLaunch: /* these two are not played */
    case cudaDevAttrMemoryPoolsSupported:
        *value = 0;
        break;
    default:
        fprintf(stderr, "vgpu: device attribute %d is not supported\n",
                (int)which);
        return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

bool is_device(int device)
{
    return device >= 0 && device < settings().devices;
}

cudaError_t wait_for_current_device()
{
    cudaError_t error = allowed_now();
    return error != cudaSuccess ? error : wait_for_device(current_device());
}

} // namespace

} // namespace vgpu

using namespace vgpu;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count)
{
    return call([&] {
        *count = settings().devices;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int *device)
{
    return call([&] {
        *device = current_device();
        return cudaSuccess;
    });
}

/* Leaves a broken device, and makes one current and says so. */
cudaError_t cudaSetDevice(int device)
{
    const void *caller = __builtin_return_address(0);
    Hold hold(state().lock);
    cudaError_t error = failure_due(__func__);
    if (error == cudaSuccess && !is_device(device))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess) {
        current_device() = device;
        error = broken();
    }
    return noted(error, caller);
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned)
{
    return call([&] {
        return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice;
    });
}

cudaError_t cudaDeviceSynchronize(void)
{
    return call(wait_for_current_device);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device)
{
    return call([&] {
        return is_device(device) ? attribute(which, value)
                                 : cudaErrorInvalidDevice;
    });
}

/* The fields not set here are 0. */
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    return call([&] {
        if (!is_device(device))
            return cudaErrorInvalidDevice;
        const Chip &c = chip();
        *p = cudaDeviceProp();
        snprintf(p->name, sizeof p->name, "%s", c.name);
        p->totalGlobalMem = arena_capacity();
        p->sharedMemPerBlock = c.shared_per_block;
        p->sharedMemPerBlockOptin = c.shared_per_block_optin;
        p->sharedMemPerMultiprocessor = c.shared_per_multiprocessor;
        p->reservedSharedMemPerBlock = c.reserved_shared;
        p->regsPerBlock = p->regsPerMultiprocessor = 65536;
        p->warpSize = 32;
        p->maxThreadsPerBlock = 1024;
        p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
        p->maxThreadsDim[2] = 64;
        p->maxGridSize[0] = 0x7fffffff;
        p->maxGridSize[1] = p->maxGridSize[2] = 65535;
        p->major = c.major;
        p->minor = c.minor;
        p->multiProcessorCount = c.multiprocessors;
        p->maxThreadsPerMultiProcessor = c.threads_per_multiprocessor;
        p->maxBlocksPerMultiProcessor = c.blocks_per_multiprocessor;
        p->l2CacheSize = (int)c.l2_bytes;
        p->memoryBusWidth = c.bus_bits;
        p->unifiedAddressing = 1;
        p->clusterLaunch = c.clusters;
        return cudaSuccess;
    });
}

/* Also compiles the kernel, so that a later launch does not. */
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, const void *function)
{
    return call([&] {
        Kernel *kernel;
        cudaError_t error = find_code(function, &kernel);
        if (error != cudaSuccess)
            return error;
        *a = cudaFuncAttributes();
        a->sharedSizeBytes = kernel->shared_bytes;
        a->localSizeBytes = kernel->local_bytes;
        a->maxThreadsPerBlock = (int)std::min(kernel->max_threads, 1024u);
        a->maxDynamicSharedSizeBytes = (int)kernel->max_dynamic_shared;
        a->numRegs = 32; /* ptxas would choose; not known here */
        a->ptxVersion = kernel->module->ptx_architecture;
        a->binaryVersion = chip().major * 10 + chip().minor;
        return cudaSuccess;
    });
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute which,
                                 int value)
{
    return call([&] {
        Kernel *kernel;
        cudaError_t error = find_kernel(function, &kernel);
        if (error != cudaSuccess)
            return error;
        if (which == cudaFuncAttributePreferredSharedMemoryCarveout)
            return cudaSuccess;
        if (which != cudaFuncAttributeMaxDynamicSharedMemorySize)
            return cudaErrorNotSupported;
        if (value < 0 ||
            value + kernel->shared_bytes > chip().shared_per_block_optin)
            return cudaErrorInvalidValue;
        kernel->max_dynamic_shared = (size_t)value;
        return cudaSuccess;
    });
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    return call([&] {
        Kernel *kernel;
        cudaError_t error = find_kernel(function, &kernel);
        if (error == cudaSuccess)
            *name = kernel->name.c_str();
        return error;
    });
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

} // extern "C"
