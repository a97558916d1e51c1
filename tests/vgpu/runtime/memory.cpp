/*
 * memory.cpp - allocation, copies and fills
 *
 * A pointer into device memory must lie in one allocation with all that is
 * copied; any other is host memory and taken as it is.
 */

#include "arena.h"
#include "live.h"
#include "registry.h"
#include "state.h"
#include "streams.h"

#include <cstdio>
#include <cstring>
#include <memory>

namespace vgpu
{

namespace
{

/* The bytes behind a pointer of either side; nullptr if out of bounds. */
unsigned char *bytes_of(const void *pointer, size_t size, const char *what)
{
    uint64_t address = (uint64_t)pointer;
    if (!arena_contains(address))
        return (unsigned char *)pointer;
    unsigned char *bytes = arena_bytes(address, size);
    if (!bytes && size)
        fprintf(stderr, "vgpu: %s of %zu bytes at %p: %s\n", what, size,
                pointer, describe_address(address, size).c_str());
    return bytes;
}

bool is_device_only(const void *pointer)
{
    Allocation a;
    return arena_find((uint64_t)pointer, &a) && a.kind == Memory::device;
}

/* cudaMemcpyDefault goes by the pointers. */
bool kind_fits(const void *to, const void *from, cudaMemcpyKind kind)
{
    bool to_device = arena_contains((uint64_t)to);
    bool from_device = arena_contains((uint64_t)from);
    switch (kind) {
    case cudaMemcpyHostToHost:
        return !is_device_only(to) && !is_device_only(from);
    case cudaMemcpyHostToDevice:
        return to_device && !is_device_only(from);
    case cudaMemcpyDeviceToHost:
        return !is_device_only(to) && from_device;
    case cudaMemcpyDeviceToDevice:
        return to_device && from_device;
    default:
        return kind == cudaMemcpyDefault;
    }
}

bool is_pageable(const void *pointer)
{
    return !arena_contains((uint64_t)pointer);
}

/* Pageable memory is read before the call returns, and written too. */
cudaError_t copy_now(unsigned char *to, const unsigned char *from, size_t size,
                     bool to_pageable, bool from_pageable, cudaStream_t stream)
{
    Work work = [=] { memmove(to, from, size); };
    if (from_pageable && !to_pageable) {
        auto staged =
            std::make_shared<std::vector<unsigned char>>(from, from + size);
        work = [=] { memcpy(to, staged->data(), size); };
    }
    cudaError_t error = submit(stream, work);
    if (error == cudaSuccess && to_pageable)
        error = wait_for_stream(stream);
    return error;
}

cudaError_t copy(void *to, const void *from, size_t size, cudaMemcpyKind kind,
                 cudaStream_t stream)
{
    if (size == 0)
        return cudaSuccess;
    if (!to || !from || !kind_fits(to, from, kind))
        return cudaErrorInvalidValue;
    unsigned char *target = bytes_of(to, size, "copy to");
    unsigned char *source = bytes_of(from, size, "copy from");
    if (!target || !source)
        return cudaErrorInvalidValue;
    if (is_captured(stream))
        return submit(stream, [=] { memmove(target, source, size); });
    return copy_now(target, source, size, is_pageable(to), is_pageable(from),
                    stream);
}

cudaError_t fill(void *to, int value, size_t size, cudaStream_t stream)
{
    if (size == 0)
        return cudaSuccess;
    if (!arena_contains((uint64_t)to))
        return cudaErrorInvalidValue;
    unsigned char *target = bytes_of(to, size, "fill");
    if (!target)
        return cudaErrorInvalidValue;
    return submit(stream, [=] { memset(target, value, size); });
}

cudaError_t allocate(void **pointer, size_t size, Memory kind)
{
    cudaError_t error = allowed_now();
    if (error != cudaSuccess)
        return error;
    *pointer = nullptr;
    if (size == 0)
        return cudaSuccess;
    *pointer = (void *)arena_allocate(size, kind, current_device());
    if (!*pointer)
        return cudaErrorMemoryAllocation;
    live().allocations++;
    live().bytes += size;
    return cudaSuccess;
}

/* Waits for the device, which may be using the memory. */
cudaError_t release(void *pointer, Memory kind)
{
    cudaError_t error = allowed_now();
    if (error != cudaSuccess || !pointer)
        return error;
    Allocation a;
    if (!arena_find((uint64_t)pointer, &a) || a.kind != kind)
        return cudaErrorInvalidValue;
    error = wait_for_device(a.device);
    if (!arena_free((uint64_t)pointer))
        return cudaErrorInvalidValue;
    live().allocations--;
    live().bytes -= a.size;
    return error;
}

/* Refused while a capture forbids to wait; else in the legacy stream, and
 * waited for. */
template <typename Body>
cudaError_t waiting(Body body)
{
    cudaError_t error = allowed_now();
    if (error == cudaSuccess)
        error = body();
    return error != cudaSuccess ? error : wait_for_stream(nullptr);
}

/* The device address of part of a variable; 0 if it has no such part. */
cudaError_t part_of(const void *symbol, size_t size, size_t offset,
                    uint64_t *address)
{
    Variable variable;
    cudaError_t error = find_variable(symbol, &variable);
    if (error != cudaSuccess)
        return error;
    if (offset > variable.size || size > variable.size - offset)
        return cudaErrorInvalidValue;
    *address = variable.address + offset;
    return cudaSuccess;
}

} // namespace

} // namespace vgpu

using namespace vgpu;

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    return call([&] { return allocate(pointer, size, Memory::device); });
}

cudaError_t cudaFree(void *pointer)
{
    return release_call([&] { return release(pointer, Memory::device); });
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return call([&] { return allocate(pointer, size, Memory::pinned); });
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned)
{
    return call([&] { return allocate(pointer, size, Memory::pinned); });
}

cudaError_t cudaFreeHost(void *pointer)
{
    return release_call([&] { return release(pointer, Memory::pinned); });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size,
                       cudaMemcpyKind kind)
{
    return call([&] {
        return waiting([&] { return copy(to, from, size, kind, nullptr); });
    });
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
                            cudaMemcpyKind kind, cudaStream_t stream)
{
    return call([&] { return copy(to, from, size, kind, stream); });
}

cudaError_t cudaMemset(void *to, int value, size_t size)
{
    return call([&] {
        return waiting([&] { return fill(to, value, size, nullptr); });
    });
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size,
                            cudaStream_t stream)
{
    return call([&] { return fill(to, value, size, stream); });
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t size, size_t offset, cudaMemcpyKind kind)
{
    return call([&] {
        return waiting([&] {
            uint64_t address = 0;
            cudaError_t error = part_of(symbol, size, offset, &address);
            return error != cudaSuccess
                       ? error
                       : copy((void *)address, from, size, kind, nullptr);
        });
    });
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size,
                                 size_t offset, cudaMemcpyKind kind)
{
    return call([&] {
        return waiting([&] {
            uint64_t address = 0;
            cudaError_t error = part_of(symbol, size, offset, &address);
            return error != cudaSuccess
                       ? error
                       : copy(to, (const void *)address, size, kind, nullptr);
        });
    });
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    return call([&] {
        uint64_t address = 0;
        cudaError_t error = part_of(symbol, 0, 0, &address);
        *pointer = (void *)address;
        return error;
    });
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    return call([&] {
        *total = arena_capacity();
        *free_bytes = arena_capacity() - arena_used(current_device());
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes,
                                     const void *pointer)
{
    return call([&] {
        *attributes = cudaPointerAttributes();
        attributes->device = -2; /* what CUDA says of memory it does not know */
        Allocation a;
        if (!arena_find((uint64_t)pointer, &a))
            return cudaSuccess;
        bool pinned = a.kind == Memory::pinned;
        attributes->type = pinned ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
        attributes->device = a.device;
        attributes->devicePointer = (void *)pointer;
        attributes->hostPointer = pinned ? (void *)pointer : nullptr;
        return cudaSuccess;
    });
}

} // extern "C"
