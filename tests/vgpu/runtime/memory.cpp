/*
 * memory.cpp - allocation, copies and fills
 *
 * A pointer into device memory must lie in one allocation with all that is
 * copied; any other is host memory and taken as it is.
 */

#include "arena.h"
#include "registry.h"
#include "state.h"
#include "streams.h"

#include <cstdio>
#include <cstring>

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
    return submit(stream, [=] { memmove(target, source, size); });
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
    *pointer = (void *)arena_allocate(size, kind);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t release(void *pointer, Memory kind)
{
    cudaError_t error = allowed_now();
    if (error != cudaSuccess || !pointer)
        return error;
    Allocation a;
    bool there = arena_find((uint64_t)pointer, &a) && a.kind == kind &&
                 arena_free((uint64_t)pointer);
    return there ? cudaSuccess : cudaErrorInvalidValue;
}

/* Refused while a capture forbids to wait; else as in the legacy stream. */
template <typename Body>
cudaError_t waiting(Body body)
{
    return call([&] {
        cudaError_t error = allowed_now();
        return error != cudaSuccess ? error : body();
    });
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
    return call([&] { return release(pointer, Memory::device); });
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
    return call([&] { return release(pointer, Memory::pinned); });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size,
                       cudaMemcpyKind kind)
{
    return waiting([&] { return copy(to, from, size, kind, nullptr); });
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
                            cudaMemcpyKind kind, cudaStream_t stream)
{
    return call([&] { return copy(to, from, size, kind, stream); });
}

cudaError_t cudaMemset(void *to, int value, size_t size)
{
    return waiting([&] { return fill(to, value, size, nullptr); });
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size,
                            cudaStream_t stream)
{
    return call([&] { return fill(to, value, size, stream); });
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t size, size_t offset, cudaMemcpyKind kind)
{
    return waiting([&] {
        uint64_t address = 0;
        cudaError_t error = part_of(symbol, size, offset, &address);
        return error != cudaSuccess
                   ? error
                   : copy((void *)address, from, size, kind, nullptr);
    });
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size,
                                 size_t offset, cudaMemcpyKind kind)
{
    return waiting([&] {
        uint64_t address = 0;
        cudaError_t error = part_of(symbol, size, offset, &address);
        return error != cudaSuccess
                   ? error
                   : copy(to, (const void *)address, size, kind, nullptr);
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
        *free_bytes = arena_capacity() - arena_used();
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
        attributes->device = 0;
        attributes->devicePointer = (void *)pointer;
        attributes->hostPointer = pinned ? (void *)pointer : nullptr;
        return cudaSuccess;
    });
}

} // extern "C"
