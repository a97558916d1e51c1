/*
 * vgpu.h - what a test asks of the stand-in for the CUDA runtime
 *
 * Beside CUDA's own calls, the stand-in's libcudart.so.13 has these.  They work
 * on all threads and devices.
 */

#ifndef VGPU_H
#define VGPU_H

#include <cuda_runtime_api.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * vgpu_fail_call() lets the k-th call from now fail with an error, once; 0:
 * none.  Calls that ask for errors or versions do not count.  A call that
 * releases something has released it all the same, any other has done nothing.
 * An error that no device survives stays.
 */
void vgpu_fail_call(unsigned long k, cudaError_t error);

/* The name of the call that failed so, as long as nothing else is asked for;
 * NULL: none has. */
const char *vgpu_failed_call(void);

/* Makes devices whole that a fault broke, as a new process would find them. */
void vgpu_mend(void);

/* As cudaGetDevice() gives it, which a device that is lost does not answer. */
int vgpu_current_device(void);

/* Sets the shared memory that a block may ask for, to no more than
 * VGPU_SHARED. */
void vgpu_limit_shared(size_t bytes);

/* What was made and not released. */
struct vgpu_live {
    size_t allocations, bytes, streams, events, graphs;
};

struct vgpu_live vgpu_live_objects(void);

/*
 * What kernels asked of global memory, with VGPU_TRAFFIC=1: sectors of 32
 * bytes, each once an access of a warp, before any cache (runtime/traffic.h).
 */
struct vgpu_traffic {
    uint64_t launches, loads, stores, atomics;
};

/* The names of kernels, in the order of their first launches; NULL past the
 * last. */
const char *vgpu_traffic_kernel(size_t index);

/* Of a kernel, or of all: NULL; in the allocation that holds an address, or in
 * all: NULL. */
struct vgpu_traffic vgpu_traffic_of(const char *kernel, const void *memory);

void vgpu_forget_traffic(void);

#ifdef __cplusplus
}
#endif

#endif
