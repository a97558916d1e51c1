/*
 * devices.cu - two devices: what is current, and whose streams and memory
 */

#include "check.h"

__device__ u32 total = 5;

__global__ void add_kernel(u32 *p)
{
    *p += total++;
}

static void each_has_its_own(int device)
{
    CUDA(cudaSetDevice(device));
    Array<u32> p(1);
    add_kernel<<<1, 1>>>(p.device);
    add_kernel<<<1, 1>>>(p.device);
    p.down();
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, p.device));
    expect(device ? "variables and memory of device 1"
                  : "variables and memory of device 0",
           p.host[0] == 5 + 6 && attributes.device == device);
}

static void streams_are_of_a_device()
{
    CUDA(cudaSetDevice(1));
    Array<u32> p(1);
    cudaStream_t stream;
    int device = -1;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaSetDevice(0));
    CUDA(cudaStreamGetDevice(stream, &device));
    expect("a stream is of the device that was current", device == 1);
    add_kernel<<<1, 1, 0, stream>>>(p.device);
    expect("and takes no kernel while another is",
           cudaGetLastError() == cudaErrorInvalidResourceHandle);
    cudaEvent_t event;
    CUDA(cudaEventCreate(&event));
    expect("nor an event of another",
           cudaEventRecord(event, stream) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    CUDA(cudaEventDestroy(event));
    CUDA(cudaStreamDestroy(stream));
    expect("there is no third device",
           cudaSetDevice(2) == cudaErrorInvalidDevice &&
               cudaGetLastError() == cudaErrorInvalidDevice);
}

/* Breaks device 0; device 1 goes on. */
static void foreign_memory_is_not_reached()
{
    CUDA(cudaSetDevice(1));
    Array<u32> p(1);
    CUDA(cudaSetDevice(0));
    add_kernel<<<1, 1>>>(p.device);
    expect("memory of another device is not reached",
           cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    expect("the error stays with its device",
           cudaDeviceSynchronize() == cudaErrorIllegalAddress &&
               cudaSetDevice(1) == cudaSuccess &&
               cudaDeviceSynchronize() == cudaSuccess);
}

int main()
{
    int count;
    CUDA(cudaGetDeviceCount(&count));
    expect("two devices", count == 2);
    each_has_its_own(0);
    each_has_its_own(1);
    streams_are_of_a_device();
    foreign_memory_is_not_reached();
    puts("done");
}
