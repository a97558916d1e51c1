/*
 * floats.cu - binary32 and binary64 arithmetic, conversions, the contract's
 * operations: equal to the host's to the bit
 */

#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstring>

constexpr int results = 24;

template <typename T>
__host__ __device__ u64 bits(T value)
{
    u64 result = 0;
    memcpy(&result, &value, sizeof value);
    return result;
}

__host__ __device__ void operations(float a, float b, float c, double d,
                                    double e, u64 n, u64 *r)
{
    int i = 0;
#ifdef __CUDA_ARCH__
    r[i++] = bits(__fmaf_rn(a, b, c));
    r[i++] = bits(__fadd_rn(a, b));
    r[i++] = bits(__fsub_rn(a, b));
    r[i++] = bits(__fmul_rn(a, b));
    r[i++] = bits(__fdiv_rn(a, b));
    r[i++] = bits(__fma_rn(d, e, (double)c));
    r[i++] = bits(__ddiv_rn(d, e));
    r[i++] = bits(__double2float_rn(d));
    r[i++] = __float2uint_rz(fabsf(a));
    r[i++] = (u64)__double2ll_rn(d);
#else
    r[i++] = bits(fmaf(a, b, c));
    r[i++] = bits(a + b);
    r[i++] = bits(a - b);
    r[i++] = bits(a * b);
    r[i++] = bits(a / b);
    r[i++] = bits(fma(d, e, (double)c));
    r[i++] = bits(d / e);
    r[i++] = bits((float)d);
    r[i++] = fabsf(a) < 4294967296.0f ? (u32)fabsf(a) : 0xffffffffu;
    r[i++] = fabs(d) < 0x1p63 ? (u64)llrint(d)
             : d > 0          ? 0x7fffffffffffffff
                              : 0x8000000000000000;
#endif
    r[i++] = bits(fmaxf(a, b));
    r[i++] = bits(fminf(b, c));
    r[i++] = bits(rintf(a)) << 32 | bits(truncf(b));
    r[i++] = bits(floorf(a)) << 32 | bits(ceilf(a));
    r[i++] = bits(ceil(d));
    r[i++] = bits((double)a);
    r[i++] = bits((double)n);
    r[i++] = bits((float)n);
    r[i++] = bits((float)(int64_t)n);
    r[i++] = bits((double)(int32_t)n);
    r[i++] = (u64)(a < b) | (u64)(a <= b) << 1 | (u64)(a == b) << 2 |
             (u64)(a != b) << 3 | (u64)(!(a < b)) << 4 | (u64)(d > e) << 5 |
             (u64)(!(a >= b)) << 6 | (u64)(a != a) << 7 | (u64)(d != e) << 8;
    r[i++] = bits(-a) << 32 | bits(fabsf(b));
    r[i++] = bits(a > b ? a : c);
    r[i++] = bits(1.0 / d);
}

__global__ void operations_kernel(const float *a, const double *d, const u64 *n,
                                  u64 *r)
{
    u32 i = threadIdx.x, count = blockDim.x;
    operations(a[i], a[(i * 7 + 1) % count], a[(i * 13 + 5) % count], d[i],
               d[(i * 5 + 2) % count], n[i], r + i * results);
}

/* NaN is NaN, whatever its bits, where an operation made it. */
static bool same(u64 x, u64 y, int k)
{
    static const bool is_float[results] = {1, 1, 1, 1, 1};
    if (x == y)
        return true;
    float fx, fy;
    double dx, dy;
    memcpy(&fx, &x, 4), memcpy(&fy, &y, 4);
    memcpy(&dx, &x, 8), memcpy(&dy, &y, 8);
    if (is_float[k] || k == 7 || k == 10 || k == 11)
        return fx != fx && fy != fy;
    return (k == 5 || k == 6 || k == 14 || k == 15 || k == 23) && dx != dx &&
           dy != dy;
}

static void arithmetic_equals_the_host()
{
    const u32 edges[] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
        0x3f800000, 0xbf800000, 0x3f800001, 0x4b000001, 0x4f800000, 0x7f7fffff,
        0xff7fffff, 0x7f800000, 0xff800000, 0x3f000000, 0x40200000, 0xc0600000};
    Random random;
    constexpr u32 count = 1000;
    std::vector<float> a(count);
    std::vector<double> d(count);
    std::vector<u64> n(count);
    for (u32 i = 0; i < count; i++) {
        u32 word = i < 400 ? edges[(i * 5 + i / 18) % 18] : random();
        if (i >= 400 && i % 2)
            word = 0x3c000000 + word % 0x0a000000; /* of like size */
        memcpy(&a[i], &word, 4);
        u64 wide = (u64)random() << 32 | random();
        if (i % 3)
            wide = 0x3f00000000000000 + wide % 0x01f0000000000000;
        memcpy(&d[i], &wide, 8);
        if (d[i] != d[i])
            d[i] = a[i];
        if (a[i] != a[i])
            a[i] = (float)i + 0.5f;
        if (d[i] != d[i])
            d[i] = 1.5;
        n[i] = ((u64)random() << 32 | random()) >> i % 64;
    }
    Array<float> da(a);
    Array<double> dd(d);
    Array<u64> dn(n), r(count * results);
    operations_kernel<<<1, count>>>(da.device, dd.device, dn.device, r.device);
    r.down();
    bool good = true;
    for (u32 i = 0; i < count; i++) {
        u64 expected[results];
        operations(a[i], a[(i * 7 + 1) % count], a[(i * 13 + 5) % count], d[i],
                   d[(i * 5 + 2) % count], n[i], expected);
        for (int k = 0; k < results; k++)
            if (!same(r.host[i * results + k], expected[k], k)) {
                printf("# operation %d of %a: %llx, not %llx\n", k, a[i],
                       r.host[i * results + k], expected[k]);
                good = false;
            }
    }
    expect("float arithmetic", good);
}

__global__ void widen_kernel(u64 *sums)
{
    u32 word = blockIdx.x * blockDim.x + threadIdx.x;
    __half_raw h;
    h.x = (unsigned short)word;
    float f = __half2float(__half(h));
    __nv_bfloat16_raw b;
    b.x = (unsigned short)word;
    float g = __bfloat162float(__nv_bfloat16(b));
    sums[word] = (u64)__float_as_uint(f) << 32 | __float_as_uint(g);
}

static void half_formats_widen_exactly()
{
    Array<u64> r(65536);
    widen_kernel<<<256, 256>>>(r.device);
    r.down();
    bool half = true, bfloat = true;
    for (u32 i = 0; i < 65536; i++) {
        u32 exponent = i >> 10 & 31, fraction = i & 1023;
        float f = exponent == 31 ? (fraction ? NAN : INFINITY)
                  : exponent
                      ? ldexpf((float)(1024 + fraction), (int)exponent - 25)
                      : ldexpf((float)fraction, -24);
        f = i >> 15 ? -f : f;
        u32 word = (u32)(r.host[i] >> 32);
        float g;
        memcpy(&g, &word, 4);
        half &= f != f ? g != g : bits(f) == word;
        bfloat &= (u32)r.host[i] == i << 16;
    }
    expect("f16 widens", half);
    expect("bf16 widens", bfloat);
}

__global__ void nan_kernel(float nan, float x, float *r)
{
    r[0] = fmaxf(nan, x);
    r[1] = fminf(x, nan);
    r[2] = fmaxf(-0.0f * x, 0.0f);
    r[3] = fminf(0.0f * x, -0.0f);
}

static void max_and_min_prefer_numbers()
{
    Array<float> r(4);
    nan_kernel<<<1, 1>>>(NAN, 2.0f, r.device);
    r.down();
    expect("max and min prefer numbers to NaN",
           r.host[0] == 2.0f && r.host[1] == 2.0f);
    expect("max and min order zeros",
           !std::signbit(r.host[2]) && std::signbit(r.host[3]));
}

/* The contract's weights: its table of known answers. */
__global__ void weight_kernel(float c, u64 *w)
{
    const float x[] = {0.0f, -0.5f, -2.5f, -10.0f, -20.0f, -1000.0f};
    float d = __fsub_rn(x[threadIdx.x], 0.0f), dmin = __fdiv_rn(-48.0f, c);
    if (!(d > dmin))
        d = dmin;
    float z = __fmaf_rn(d, c, 12582912.0f);
    float s = __fsub_rn(12582924.0f, z);
    float f = __fsub_rn(__fmaf_rn(d, c, s), 12.0f), r = 0x1.5bfd58p-10f;
    r = __fmaf_rn(r, f, 0x1.3ceaf8p-7f);
    r = __fmaf_rn(r, f, 0x1.c6b61ap-5f);
    r = __fmaf_rn(r, f, 0x1.ebf996p-3f);
    r = __fmaf_rn(r, f, 0x1.62e428p-1f);
    u32 h = __float_as_uint(__fmaf_rn(r, f, 3.0f));
    w[threadIdx.x] =
        ((u64)(h - 0x40000000u) << 18) >> (0x4B400000u - __float_as_uint(z));
}

static void weights_are_the_contracts()
{
    const float scales[] = {0x1.715476p+0f, 0x1.07ce9ep+1f, 0x1.715476p-1f};
    const u64 table[3][6] = {
        {1099511627776, 666887258112, 90253443072, 49917760, 2266, 0},
        {1099511627776, 538256736256, 30913495040, 687056, 0, 0},
        {1099511627776, 856300453888, 315015364608, 7408449536, 49917760, 0}};
    bool good = true;
    Array<u64> w(6);
    for (int t = 0; t < 3; t++) {
        weight_kernel<<<1, 6>>>(scales[t], w.device);
        w.down();
        for (int i = 0; i < 6; i++)
            good &= w.host[i] == table[t][i];
    }
    expect("the contract's weights", good);
}

int main()
{
    arithmetic_equals_the_host();
    half_formats_widen_exactly();
    max_and_min_prefer_numbers();
    weights_are_the_contracts();
    puts("done");
}
