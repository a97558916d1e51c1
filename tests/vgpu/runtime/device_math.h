/*
 * device_math.h - PTX's arithmetic in C++, for translated kernels
 *
 * Floating point is binary32 and binary64, rounded to nearest even: compile
 * with -frounding-math -ffp-contract=off, and run with the default settings.
 */

#ifndef VGPU_DEVICE_MATH_H
#define VGPU_DEVICE_MATH_H

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace vgpu
{

/* The bits of a value, read as another type of the same size. */
template <typename To, typename From>
inline To as(From value)
{
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    To result;
    memcpy(&result, &value, sizeof result);
    return result;
}

/* Integers. */

template <unsigned bytes, bool is_signed>
struct Wide;
template <>
struct Wide<2, false> {
    using type = uint32_t;
};
template <>
struct Wide<2, true> {
    using type = int32_t;
};
template <>
struct Wide<4, false> {
    using type = uint64_t;
};
template <>
struct Wide<4, true> {
    using type = int64_t;
};
template <>
struct Wide<8, false> {
    using type = unsigned __int128;
};
template <>
struct Wide<8, true> {
    using type = __int128;
};

template <typename T>
using wide = typename Wide<sizeof(T), std::is_signed<T>::value>::type;

template <typename T>
inline wide<T> multiply_wide(T a, T b)
{
    return (wide<T>)a * (wide<T>)b;
}

template <typename T>
inline T multiply_lo(T a, T b)
{
    return (T)multiply_wide<T>(a, b);
}

template <typename T>
inline T multiply_hi(T a, T b)
{
    return (T)(multiply_wide<T>(a, b) >> 8 * sizeof(T));
}

template <typename T>
inline T quotient(Thread *t, T a, T b, const Site *site)
{
    if (b == 0)
        runtime.fault(t, site, Fault::division_by_zero, 0, 0);
    if (std::is_signed<T>::value && b == (T)-1)
        return multiply_lo<T>(a, b); /* the lowest number has no negative */
    return a / b;
}

template <typename T>
inline T remainder(Thread *t, T a, T b, const Site *site)
{
    if (b == 0)
        runtime.fault(t, site, Fault::division_by_zero, 0, 0);
    return std::is_signed<T>::value && b == (T)-1 ? 0 : a % b;
}

template <typename T>
inline T minimum(T a, T b)
{
    return b < a ? b : a;
}

template <typename T>
inline T maximum(T a, T b)
{
    return a < b ? b : a;
}

inline uint16_t magnitude(int16_t a)
{
    return (uint16_t)(a < 0 ? -a : a);
}

inline uint32_t magnitude(int32_t a)
{
    return a < 0 ? 0 - (uint32_t)a : (uint32_t)a;
}

inline uint64_t magnitude(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

/* Bits.  A shift by the width or more leaves nothing but signs. */

template <typename T>
inline T shift_left(T a, uint32_t n)
{
    return n >= 8 * sizeof(T) ? (T)0 : (T)(a << n);
}

template <typename T>
inline T shift_right(T a, uint32_t n)
{
    return n >= 8 * sizeof(T) ? (T)(a < 0 ? -1 : 0) : (T)(a >> n);
}

inline uint32_t wrap_shift(uint32_t n)
{
    return n & 31;
}

inline uint32_t clamp_shift(uint32_t n)
{
    return n > 32 ? 32 : n;
}

inline uint32_t funnel_l(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << n >> 32);
}

inline uint32_t funnel_r(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> n);
}

/* Bit i of the table is the answer for a, b, c = the bits of i from the top. */
inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned pick = selector >> 4 * i;
        uint32_t byte = bytes >> 8 * (pick & 7) & 0xff;
        if (pick & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

template <typename T>
inline uint32_t population(T a)
{
    return (uint32_t)__builtin_popcountll(a);
}

inline uint32_t leading_zeros(uint32_t a)
{
    return a ? (uint32_t)__builtin_clz(a) : 32;
}

inline uint32_t leading_zeros(uint64_t a)
{
    return a ? (uint32_t)__builtin_clzll(a) : 64;
}

template <typename T>
inline T reverse_bits(T a)
{
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); i++)
        result = (T)(result << 1 | (a >> i & 1));
    return result;
}

/* The place of the highest bit, or how far it is from the top. */
template <typename T>
inline uint32_t find_leading(T a, bool from_top)
{
    if (a == 0)
        return UINT32_MAX;
    return from_top ? leading_zeros(a)
                    : 8 * (uint32_t)sizeof(T) - 1 - leading_zeros(a);
}

inline uint64_t low_bits(uint32_t length)
{
    return length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
}

template <typename T>
inline T extract_field(T a, uint32_t begin, uint32_t length)
{
    return (T)(shift_right<T>(a, begin & 0xff) & low_bits(length & 0xff));
}

template <typename T>
inline T insert_field(T a, T b, uint32_t begin, uint32_t length)
{
    T field = shift_left<T>((T)low_bits(length & 0xff), begin & 0xff);
    return (b & ~field) | (shift_left<T>(a, begin & 0xff) & field);
}

inline uint32_t field_mask(uint32_t begin, uint32_t length)
{
    return shift_left<uint32_t>((uint32_t)low_bits(length), begin);
}

/* Floats. */

inline float fused(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

inline double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

inline bool unordered(double a, double b)
{
    return a != a || b != b;
}

inline float negative(float a)
{
    return as<float>(as<uint32_t>(a) ^ 0x80000000u);
}

inline double negative(double a)
{
    return as<double>(as<uint64_t>(a) ^ UINT64_C(1) << 63);
}

inline float magnitude(float a)
{
    return as<float>(as<uint32_t>(a) & 0x7fffffffu);
}

inline double magnitude(double a)
{
    return as<double>(as<uint64_t>(a) & ~(UINT64_C(1) << 63));
}

template <typename T>
inline T not_a_number();
template <>
inline float not_a_number()
{
    return as<float>(0x7fffffffu);
}
template <>
inline double not_a_number()
{
    return as<double>(~(UINT64_C(1) << 63));
}

template <typename T>
inline T float_min(T a, T b)
{
    if (a != a)
        return b != b ? not_a_number<T>() : b;
    if (b != b)
        return a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
}

template <typename T>
inline T float_max(T a, T b)
{
    if (a != a)
        return b != b ? not_a_number<T>() : b;
    if (b != b)
        return a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
}

template <typename T>
inline T nearest(T a)
{
    return std::nearbyint(a);
}

template <typename T>
inline T toward_zero(T a)
{
    return std::trunc(a);
}

template <typename T>
inline T down(T a)
{
    return std::floor(a);
}

template <typename T>
inline T up(T a)
{
    return std::ceil(a);
}

/* Of an integral value; beyond the type its nearest, NaN 0. */
template <typename T, typename F>
inline T to_integer(F a)
{
    using limits = std::numeric_limits<T>;
    if (a != a)
        return 0;
    if (a >= std::ldexp((F)1, limits::digits))
        return limits::max();
    if (a <= (F)limits::min())
        return limits::min();
    return (T)a;
}

inline float from_bf16(uint16_t a)
{
    return as<float>((uint32_t)a << 16);
}

inline float from_f16(uint16_t a)
{
    uint32_t sign = (uint32_t)(a & 0x8000) << 16, rest = a & 0x7fff;
    if (rest >= 0x7c00) /* infinity and NaN */
        return as<float>(sign | 0x7f800000u | (rest & 0x3ff) << 13);
    float value = as<float>(rest << 13) * 0x1p112f; /* exact */
    return as<float>(sign | as<uint32_t>(value));
}

} // namespace vgpu

#endif
