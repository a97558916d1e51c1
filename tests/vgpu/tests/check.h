/*
 * check.h - what the probes share: results by name, arrays on both sides
 *
 * A probe prints a line a property, "ok NAME" or "not ok NAME", and "done"
 * at its end; selftest counts them.
 */

#ifndef VGPU_CHECK_H
#define VGPU_CHECK_H

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using u32 = uint32_t;
using u64 = unsigned long long;

#define CUDA(call)                                                             \
    do {                                                                       \
        cudaError_t error_ = (call);                                           \
        if (error_ != cudaSuccess) {                                           \
            printf("not ok %s:%d %s\n", __FILE__, __LINE__,                    \
                   cudaGetErrorName(error_));                                  \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

inline void expect(const char *name, bool good)
{
    printf("%s %s\n", good ? "ok" : "not ok", name);
    fflush(stdout);
}

/* An array in device memory with a copy on the host. */
template <typename T>
struct Array {
    std::vector<T> host;
    T *device = nullptr;

    explicit Array(std::vector<T> values) : host(std::move(values))
    {
        CUDA(cudaMalloc(&device, host.size() * sizeof(T)));
        up();
    }
    explicit Array(size_t count) : Array(std::vector<T>(count))
    {
    }
    Array(const Array &) = delete;
    ~Array()
    {
        cudaFree(device);
    }
    void up()
    {
        CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T),
                        cudaMemcpyHostToDevice));
    }
    void down()
    {
        CUDA(cudaMemcpy(host.data(), device, host.size() * sizeof(T),
                        cudaMemcpyDeviceToHost));
    }
};

/* The same numbers everywhere: a linear congruential generator's high bits. */
struct Random {
    u64 state = 42;
    u32 operator()()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (u32)(state >> 32);
    }
};

#endif
