/*
 * integers.cu - integer arithmetic, logic, shifts and bit fields
 *
 * One function is computed by both sides; what C++ has no word for is inline
 * PTX beside known answers.
 */

#include "check.h"

constexpr int results = 32;

/* Written so that nvcc keeps the operations: all from run-time values. */
template <typename T, typename S>
__host__ __device__ void arithmetic(T a, T b, u32 n, u64 *r)
{
    int i = 0;
    r[i++] = a + b;
    r[i++] = a - b;
    r[i++] = a * b;
    r[i++] = b ? a / b : 0;
    r[i++] = b ? a % b : 0;
    r[i++] = (u64)((S)b && !((S)b == -1) ? (S)a / (S)b : 0);
    r[i++] = (u64)((S)b && !((S)b == -1) ? (S)a % (S)b : 0);
    r[i++] = a < b ? a : b;
    r[i++] = (u64)((S)a > (S)b ? (S)a : (S)b);
    r[i++] = a & b;
    r[i++] = a | b;
    r[i++] = a ^ b;
    r[i++] = (T)~a;
    r[i++] = a << n % (8 * sizeof(T));
    r[i++] = a >> n % (8 * sizeof(T));
    r[i++] = (u64)((S)a >> n % (8 * sizeof(T)));
    r[i++] = (u64)(S)(0 - a);
    r[i++] = a < b;
    r[i++] = (S)a < (S)b;
    r[i++] = a == b || (a > n && b != n);
    r[i++] = (u64)(int64_t)(int8_t)a;
    r[i++] = (u64)(int64_t)(int16_t)a;
    r[i++] = (uint8_t)a;
    r[i++] = (uint16_t)(a * b);
    r[i++] = (u64)(int64_t)(S)a;
    r[i++] = (u64)(u32)a * (u32)b;
    r[i++] = (u64)((int64_t)(int32_t)a * (int32_t)b + (int64_t)n);
    while (i < results)
        r[i++] = 0;
}

template <typename T, typename S>
__global__ void arithmetic_kernel(const u64 *a, const u64 *b, u64 *r)
{
    u32 i = threadIdx.x;
    arithmetic<T, S>((T)a[i], (T)b[i], (u32)b[i], r + i * results);
}

template <typename T, typename S>
static void arithmetic_equals_the_host(const char *name, const Array<u64> &a,
                                       const Array<u64> &b)
{
    u32 count = (u32)a.host.size();
    Array<u64> r(count * results);
    arithmetic_kernel<T, S><<<1, count>>>(a.device, b.device, r.device);
    r.down();
    bool good = true;
    for (u32 i = 0; i < count; i++) {
        u64 expected[results];
        arithmetic<T, S>((T)a.host[i], (T)b.host[i], (u32)b.host[i], expected);
        for (int k = 0; k < results; k++)
            if (r.host[i * results + k] != expected[k]) {
                printf("# result %d of %llx, %llx\n", k, a.host[i], b.host[i]);
                good = false;
            }
    }
    expect(name, good);
}

__global__ void functions_kernel(u32 a, u32 b, u32 c, u64 d, u64 e, u64 *r)
{
    u64 x;
    u32 y;
    r[0] = __umulhi(a, b);
    r[1] = (u32)__mulhi((int)a, (int)b);
    r[2] = __umul64hi(d, e);
    r[3] = (u64)__mul64hi((long long)d, (long long)e);
    r[4] = (u64)__popc(a) << 32 | (u32)__popcll(d);
    r[5] = (u64)__clz((int)c) << 32 | (u32)__clzll((long long)e);
    r[6] = (u64)__ffs((int)c) << 32 | (u32)__ffsll((long long)d);
    r[7] = __brev(a);
    r[8] = __brevll(d);
    r[9] = __byte_perm(a, b, 0x7315);
    asm("prmt.b32 %0, %1, %2, 0x8f90;" : "=r"(y) : "r"(a), "r"(b));
    r[10] = y;
    r[11] = __funnelshift_l(a, b, c);
    r[12] = __funnelshift_r(a, b, c);
    r[13] = __funnelshift_lc(a, b, c);
    asm("bfe.u32 %0, %1, 4, 9;" : "=r"(y) : "r"(a));
    r[14] = y;
    asm("bfi.b32 %0, %1, %2, 5, 7;" : "=r"(y) : "r"(a), "r"(b));
    r[15] = y;
    asm("bfind.u32 %0, %1;" : "=r"(y) : "r"(c));
    r[16] = y;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(y) : "r"(a), "r"(b), "r"(c));
    r[17] = y;
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(y) : "r"(28u), "r"(9u));
    r[18] = y;
    asm("shl.b32 %0, %1, 32;" : "=r"(y) : "r"(a));
    r[19] = y;
    asm("shr.s32 %0, %1, 99;" : "=r"(y) : "r"(a));
    r[20] = y;
    asm("{ .reg .b32 lo, hi; mov.b64 {lo, hi}, %1; mov.b64 %0, {hi, lo}; }"
        : "=l"(x)
        : "l"(d));
    r[21] = x;
    asm("{ .reg .pred p, q, s; setp.ne.u32 s, %1, 0; "
        "setp.lt.and.u32 p|q, %1, %2, s; selp.u32 %0, 1, 0, p; "
        "@q add.u32 %0, %0, 2; }"
        : "=r"(y)
        : "r"(b), "r"(a));
    r[22] = y;
    asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(y) : "r"(a), "r"(b), "r"(c));
    r[23] = y;
}

/* The answers are from arithmetic on integers of any size. */
static void functions_give_known_answers()
{
    static const u64 expected[] = {
        0xd94e371,          0xfdf7b940,   0x110eb4bee8ee8b7a,
        0xffec817a938813f2, 0x1800000021, 0xd00000003,
        0x500000001,        0xf77db57b,   0x884c2a6e195d3b7f,
        0xfdebe2a,          0xff00ffef,   0x2a31dead,
        0x2a31dead,         0xdeadbeef,   0x1ee,
        0xf9d2df1,          0x12,         0xe8d2a31,
        0xf0000000,         0x0,          0xffffffff,
        0x76543211fedcba98, 0x1,          0xd98e381,
    };
    constexpr int count = sizeof expected / sizeof *expected;
    Array<u64> r(count);
    functions_kernel<<<1, 1>>>(0xdeadbeef, 0xf9d2a31, 0x40010,
                               0xfedcba9876543211, 0x1122334455667788,
                               r.device);
    r.down();
    bool good = true;
    for (int i = 0; i < count; i++)
        if (r.host[i] != expected[i]) {
            printf("# function %d: %llx, not %llx\n", i, r.host[i],
                   expected[i]);
            good = false;
        }
    expect("integer functions", good);
}

int main()
{
    Random random;
    std::vector<u64> edges = {0,
                              1,
                              2,
                              0x7f,
                              0x80,
                              0xff,
                              0x7fff,
                              0x8000,
                              0xffff,
                              0x7fffffff,
                              0x80000000,
                              0xffffffff,
                              0x7fffffffffffffff,
                              0x8000000000000000,
                              0xffffffffffffffff};
    std::vector<u64> va, vb;
    for (u64 x : edges)
        for (u64 y : edges) {
            va.push_back(x);
            vb.push_back(y);
        }
    while (va.size() < 1000) {
        va.push_back((u64)random() << 32 | random());
        vb.push_back(((u64)random() << 32 | random()) >> random() % 64);
    }
    Array<u64> a(va), b(vb);
    arithmetic_equals_the_host<u32, int32_t>("32-bit arithmetic", a, b);
    arithmetic_equals_the_host<u64, int64_t>("64-bit arithmetic", a, b);
    functions_give_known_answers();
    puts("done");
}
