/*
 * device_memory.h - checked memory and collectives, for translated kernels
 *
 * Each function returns a pointer to 'size' bytes that may be touched, or
 * does not return.  used: a bit for each byte that the program looks at.
 */

#ifndef VGPU_DEVICE_MEMORY_H
#define VGPU_DEVICE_MEMORY_H

#include <cstring>

namespace vgpu
{

static Runtime runtime;

template <typename T>
inline T fetch(const unsigned char *p)
{
    T value;
    memcpy(&value, p, sizeof value);
    return value;
}

template <typename T>
inline void put(unsigned char *p, T value)
{
    memcpy(p, &value, sizeof value);
}

template <unsigned size>
inline void check_alignment(Thread *t, uint64_t address, const Site *site)
{
    if (__builtin_expect(address % size != 0, 0))
        runtime.fault(t, site, Fault::misaligned, address, size);
}

template <unsigned size>
constexpr uint32_t all_bytes = (1u << size) - 1;

template <unsigned size>
inline unsigned char *global_at(Thread *t, uint64_t address, const Site *site,
                                Access access, uint32_t used = all_bytes<size>)
{
    static_assert(size <= 16, "an access of more than 16 bytes");
    check_alignment<size>(t, address, site);
    uint64_t offset = address - runtime.arena;
    bool inside = offset < runtime.arena_bytes;
    if (inside) {
        const uint8_t *valid = runtime.valid + offset / 8;
        if (size == 16)
            inside = fetch<uint16_t>(valid) == 0x0808;
        else
            inside = offset % 8 + size <= *valid;
    }
    if (__builtin_expect(!inside, 0))
        runtime.fault(t, site, Fault::global_bounds, address, size);
    if (__builtin_expect(runtime.touch_global != nullptr, 0))
        runtime.touch_global(t, site, access, address, used);
    return runtime.bytes + offset;
}

template <unsigned size>
inline bool all_written(const uint8_t *state)
{
    uint8_t wanted[size];
    memset(wanted, shared_written, size);
    return memcmp(state, wanted, size) == 0;
}

/* The paths below are taken before a byte was written, and at faults. */

template <unsigned size>
__attribute__((noinline)) void check_shared(Thread *t, uint32_t address,
                                            const Site *site)
{
    check_alignment<size>(t, address, site);
    bool inside = address <= shared_limit - size;
    for (unsigned i = 0; inside && i < size; i++)
        inside = !(t->shared_state[address + i] & shared_outside);
    if (!inside)
        runtime.fault(t, site, Fault::shared_bounds, address, size);
}

template <unsigned size>
__attribute__((noinline)) void shared_load_slow(Thread *t, uint32_t address,
                                                const Site *site, uint32_t used)
{
    check_shared<size>(t, address, site);
    const uint8_t *state = t->shared_state + address;
    for (unsigned i = 0; i < size; i++)
        if (used >> i & 1 && !(state[i] & shared_written))
            runtime.fault(t, site, Fault::shared_unwritten, address, size);
}

template <unsigned size>
__attribute__((noinline)) void shared_store_slow(Thread *t, uint32_t address,
                                                 const Site *site)
{
    check_shared<size>(t, address, site);
    memset(t->shared_state + address, shared_written, size);
}

template <unsigned size>
inline bool shared_ready(const Thread *t, uint32_t address)
{
    return address % size == 0 && address <= shared_limit - size &&
           all_written<size>(t->shared_state + address);
}

template <unsigned size>
inline unsigned char *shared_load_at(Thread *t, uint32_t address,
                                     const Site *site, Access access,
                                     uint32_t used = all_bytes<size>)
{
    if (__builtin_expect(!shared_ready<size>(t, address), 0))
        shared_load_slow<size>(t, address, site, used);
    if (__builtin_expect(runtime.touch_shared != nullptr, 0))
        runtime.touch_shared(t, site, access, address, used);
    return t->shared + address;
}

template <unsigned size>
inline unsigned char *shared_store_at(Thread *t, uint32_t address,
                                      const Site *site)
{
    if (__builtin_expect(!shared_ready<size>(t, address), 0))
        shared_store_slow<size>(t, address, site);
    if (__builtin_expect(runtime.touch_shared != nullptr, 0))
        runtime.touch_shared(t, site, Access::store, address, all_bytes<size>);
    return t->shared + address;
}

/* Memory of the thread; filled with a pattern, so that reading what was not
 * written gives the same wrong answer each time. */
template <unsigned count>
struct Local {
    alignas(16) unsigned char bytes[count];
    Local()
    {
        memset(bytes, 0xcd, count);
    }
    bool holds(uint64_t address, unsigned size) const
    {
        uint64_t offset = address - (uint64_t)bytes;
        return offset < count && size <= count - offset;
    }
};

template <>
struct Local<0> {
    bool holds(uint64_t, unsigned) const
    {
        return false;
    }
};

template <unsigned size, typename Memory>
inline unsigned char *local_at(Thread *t, const Memory &local, uint64_t address,
                               const Site *site)
{
    check_alignment<size>(t, address, site);
    if (!local.holds(address, size))
        runtime.fault(t, site, Fault::local_bounds, address, size);
    return (unsigned char *)address;
}

template <unsigned size, typename Memory>
inline unsigned char *generic_load_at(Thread *t, const Memory &local,
                                      uint64_t address, const Site *site,
                                      Access access,
                                      uint32_t used = all_bytes<size>)
{
    if (address - shared_window < shared_limit)
        return shared_load_at<size>(t, uint32_t(address - shared_window), site,
                                    access, used);
    if (local.holds(address, size))
        return local_at<size>(t, local, address, site);
    return global_at<size>(t, address, site, access, used);
}

template <unsigned size, typename Memory>
inline unsigned char *generic_store_at(Thread *t, const Memory &local,
                                       uint64_t address, const Site *site)
{
    if (address - shared_window < shared_limit)
        return shared_store_at<size>(t, uint32_t(address - shared_window),
                                     site);
    if (local.holds(address, size))
        return local_at<size>(t, local, address, site);
    return global_at<size>(t, address, site, Access::store);
}

/* In kernels that have addresses from mapa. */

template <unsigned size, typename Memory>
inline unsigned char *cluster_load_at(Thread *t, const Memory &local,
                                      uint64_t address, const Site *site,
                                      Access access,
                                      uint32_t used = all_bytes<size>)
{
    if (address - cluster_window < cluster_limit)
        return runtime.peer(t, site, access, address, size, used);
    return generic_load_at<size>(t, local, address, site, access, used);
}

template <unsigned size, typename Memory>
inline unsigned char *cluster_store_at(Thread *t, const Memory &local,
                                       uint64_t address, const Site *site)
{
    if (address - cluster_window < cluster_limit)
        return runtime.peer(t, site, Access::store, address, size,
                            all_bytes<size>);
    return generic_store_at<size>(t, local, address, site);
}

template <unsigned size>
inline const unsigned char *parameter_at(Thread *t, const unsigned char *P,
                                         uint64_t bytes, uint64_t offset,
                                         const Site *site)
{
    check_alignment<size>(t, offset, site);
    if (offset >= bytes || size > bytes - offset)
        runtime.fault(t, site, Fault::parameter_bounds, offset, size);
    return P + offset;
}

inline void barrier_sync(Thread *t, const Site *site)
{
    runtime.barrier(t, site, Barrier::sync, false);
}

inline uint32_t barrier_popc(Thread *t, bool predicate, const Site *site)
{
    return runtime.barrier(t, site, Barrier::popc, predicate);
}

inline bool barrier_and(Thread *t, bool predicate, const Site *site)
{
    return runtime.barrier(t, site, Barrier::all, predicate) != 0;
}

inline bool barrier_or(Thread *t, bool predicate, const Site *site)
{
    return runtime.barrier(t, site, Barrier::any, predicate) != 0;
}

inline void cluster_arrive(Thread *t, bool release, const Site *site)
{
    runtime.cluster_arrive(t, site, release);
}

inline void cluster_wait(Thread *t, const Site *site)
{
    runtime.cluster_wait(t, site);
}

inline uint64_t map_rank(Thread *t, uint64_t address, uint32_t rank,
                         const Site *site)
{
    return runtime.map_rank(t, site, address, rank);
}

inline Met meet(Thread *t, Meeting what, uint32_t mask, uint64_t value,
                uint32_t argument, uint32_t clamp, const Site *site)
{
    return runtime.meet(t, site, what, mask, value, argument, clamp);
}

} // namespace vgpu

#endif
