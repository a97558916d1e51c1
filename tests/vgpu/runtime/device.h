/*
 * device.h - what a translated kernel sees: its thread, and the harness
 *
 * A kernel is compiled by itself and reaches the harness only through the
 * Runtime it is bound to.  No CUDA header is needed.
 */

#ifndef VGPU_DEVICE_H
#define VGPU_DEVICE_H

#include <cstdint>

namespace vgpu
{

struct Dimensions {
    uint32_t x, y, z;
};

/* What the threads of a block share. */
struct Grid {
    Dimensions grid_dim, block_dim, block;
    uint32_t dynamic_shared; /* bytes */
    uint32_t cluster_rank, cluster_size;
};

struct Thread {
    Dimensions index;
    uint32_t lane, warp;
    const Grid *grid;

    /* Shared memory of its block, and the state of each byte. */
    unsigned char *shared;
    uint8_t *shared_state;
};

/* Where an instruction comes from. */
struct Site {
    const char *source; /* file:line, then what it was inlined into, a tab
                           between; empty: not known */
    int ptx_line;
};

enum class Fault {
    global_bounds,
    shared_bounds,
    local_bounds,
    parameter_bounds,
    misaligned,
    shared_unwritten,
    division_by_zero,
    trap,
    deadlock,
    outside_own_mask,
    lane_absent,
    different_operations,
    barrier_kinds,
    cluster_arrived_twice,
    cluster_not_arrived,
    cluster_not_waited,
    cluster_rank,
    cluster_address,
    cluster_not_started,
    cluster_ended,
    shuffle_source,
    shared_race,
    global_race,
};

/* What an access is to others of the same bytes.  From 'commutative' on, a
 * value a kind: atomics whose old value nobody uses, and which give the same
 * result in any order. */
enum class Access : uint8_t {
    load,
    constant_load, /* of what nobody writes in the launch */
    store,
    atomic,
    commutative,
};

/* What the lanes of a warp meet for. */
enum class Meeting {
    none,
    sync,
    shuffle_up,
    shuffle_down,
    shuffle_bfly,
    shuffle_idx,
    ballot,
    any,
    all,
    match_any,
    match_all,
    reduce_add,
    reduce_min,
    reduce_max,
    reduce_min_signed,
    reduce_max_signed,
    reduce_and,
    reduce_or,
    reduce_xor,
};

struct Met {
    uint32_t value;
    bool predicate;
};

enum class Barrier { sync, popc, all, any };

/* A byte of shared memory: the bits of its state. */
enum : uint8_t { shared_written = 1, shared_outside = 2 };

/* Generic addresses of shared memory start here; no device memory does. */
constexpr uint64_t shared_window = 0x1000000;
constexpr uint32_t shared_limit = 512 << 10;

/* Those of other blocks of the cluster, by rank, as mapa makes them. */
constexpr uint32_t most_in_cluster = 8;
constexpr uint64_t cluster_window = shared_window + shared_limit;
constexpr uint64_t cluster_limit = (uint64_t)most_in_cluster * shared_limit;

struct Runtime {
    /* Device memory: addresses from 'arena' on, kept in 'bytes'.  Of each 8
     * bytes, the first 'valid' may be touched. */
    uint64_t arena, arena_bytes;
    unsigned char *bytes;
    const uint8_t *valid;

    /* Of the kernel that runs. */
    const Site *sites;

    [[noreturn]] void (*fault)(Thread *, const Site *, Fault, uint64_t address,
                               uint32_t size);
    uint32_t (*barrier)(Thread *, const Site *, Barrier, bool);
    Met (*meet)(Thread *, const Site *, Meeting, uint32_t mask, uint64_t value,
                uint32_t argument, uint32_t clamp);

    /* Told of each access, if races are looked for; else nullptr.  bytes: a bit
     * for each that is touched, from the address on. */
    void (*touch_shared)(Thread *, const Site *, Access, uint32_t address,
                         uint32_t bytes);
    void (*touch_global)(Thread *, const Site *, Access, uint64_t address,
                         uint32_t bytes);

    /* Clusters: the halves of their barrier, the generic address that is to the
     * block of a rank what 'address' is to the thread's own, and checked memory
     * of another block, as device_memory.h has it for the own. */
    void (*cluster_arrive)(Thread *, const Site *, bool release);
    void (*cluster_wait)(Thread *, const Site *);
    uint64_t (*map_rank)(Thread *, const Site *, uint64_t address,
                         uint32_t rank);
    unsigned char *(*peer)(Thread *, const Site *, Access, uint64_t address,
                           uint32_t size, uint32_t used);
};

using KernelCode = void (*)(Thread *, const unsigned char *parameters,
                            const uint64_t *variables);

} // namespace vgpu

#ifdef VGPU_TRANSLATED
#include "device_memory.h"
#include "device_math.h"
#endif

#endif
