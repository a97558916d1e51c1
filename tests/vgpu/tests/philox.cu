/*
 * philox.cu - cuRAND's Philox against known answers
 */

#include "check.h"

#include <curand_kernel.h>

__global__ void philox_kernel(u64 seed, u64 subsequence, u64 offset, u32 *words,
                              float *uniform)
{
    curandStatePhilox4_32_10_t state;
    curand_init(seed, subsequence, offset, &state);
    for (int i = 0; i < 2; i++) {
        uint4 r = curand4(&state);
        words[4 * i] = r.x, words[4 * i + 1] = r.y;
        words[4 * i + 2] = r.z, words[4 * i + 3] = r.w;
    }
    curand_init(seed, subsequence, offset, &state);
    uniform[0] = curand_uniform(&state);
}

static void draws(const char *name, u64 seed, u64 subsequence, u64 offset,
                  const std::vector<u32> &expected, float uniform)
{
    Array<u32> words(8);
    Array<float> f(1);
    philox_kernel<<<1, 1>>>(seed, subsequence, offset, words.device, f.device);
    words.down(), f.down();
    expect(name, words.host == expected && f.host[0] == uniform);
}

int main()
{
    draws("seed 42", 42, 0, 0,
          {0x9ceaf053, 0x77f5493b, 0x12bf50ad, 0x5742b3d7, 0xfcdb2127,
           0x53ba6cfd, 0x838f5a6e, 0x744e06fb},
          0.612959862f);
    draws("a long seed, a subsequence and an offset inside a block",
          0x123456789ABCDEF0, 7, 5,
          {0x328be767, 0xbff8c872, 0x9cbcc4fd, 0xe4561148, 0x637844c4,
           0xd25754ca, 0x94e92f17, 0x8c589122},
          (float)0x328be767 * 2.3283064e-10f + 2.3283064e-10f / 2.0f);
    puts("done");
}
