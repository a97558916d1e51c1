/*
 * shadow.cpp - who touched each word of a memory, to find races
 */

#include "shadow.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace vgpu
{

namespace
{

constexpr size_t page = 4096;

bool is_load(Access access)
{
    return access == Access::load || access == Access::constant_load;
}

bool is_atomic(Access access)
{
    return access >= Access::atomic;
}

} // namespace

Shadow::Shadow(size_t size) : room(size / 4 * sizeof(Word))
{
    void *p = mmap(nullptr, room, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        perror("vgpu: cannot reserve memory to find races");
        abort();
    }
    words = static_cast<Word *>(p);
    restart();
}

Shadow::~Shadow()
{
    munmap(words, room);
}

void Shadow::restart()
{
    if (++current == 0) {
        madvise(words, room, MADV_DONTNEED);
        current = 1;
    }
    /* Index 0 is none. */
    kinds.assign(1, {});
    lanes.assign(1, {});
    bytes.assign(1, {});
    spare_lanes.clear();
}

void Shadow::discard(size_t offset, size_t size)
{
    size_t from = (offset / 4 * sizeof(Word) + page - 1) / page * page;
    size_t to = (offset + size) / 4 * sizeof(Word) / page * page;
    if (from < to)
        madvise(reinterpret_cast<char *>(words) + from, to - from,
                MADV_DONTNEED);
}

bool Shadow::touch(const Actor &actor, const Site *site, Access access,
                   size_t offset, uint32_t mask, Race *race)
{
    Event now = {site, actor.thread, actor.clock.now()};
    mask <<= offset % 4;
    for (Word *word = words + offset / 4; mask; word++, mask >>= 4) {
        if (!(mask & 15))
            continue;
        if (word->current != current) {
            *word = {};
            word->current = current;
        }
        if ((mask & 15) == 15 && !word->bytes) {
            if (touch_word(actor, now, access, *word, race))
                return true;
            continue;
        }
        if (!word->bytes)
            word->bytes = divided(*word);
        for (unsigned i = 0; i < 4; i++)
            if (mask >> i & 1 &&
                touch_word(actor, now, access, bytes[word->bytes][i], race))
                return true;
    }
    return false;
}

bool Shadow::touch_word(const Actor &actor, const Event &now, Access access,
                        Word &word, Race *race)
{
    if (word.write.site &&
        (access == Access::constant_load || !actor.after(word.write))) {
        *race = {word.write, Access::store};
        return true;
    }
    uint32_t own = 0;
    for (uint32_t i = word.kinds; i; i = kinds[i].next) {
        if (clashes(actor, access, kinds[i], &race->other)) {
            race->access = kinds[i].access;
            return true;
        }
        if (kinds[i].access == access && belongs(actor, kinds[i]))
            own = i;
    }
    if (access == Access::store) {
        word.write = now;
        for (uint32_t i = word.kinds; i; i = kinds[i].next) {
            kinds[i].first = kinds[i].second = {};
            drop_lanes(kinds[i]);
        }
        return false;
    }
    if (!own) {
        own = (uint32_t)kinds.size();
        kinds.emplace_back();
        kinds[own].access = access;
        kinds[own].next = word.kinds;
        word.kinds = own;
    }
    keep(actor, now, kinds[own]);
    return false;
}

bool Shadow::clashes(const Actor &actor, Access access, const Kind &kind,
                     Event *other) const
{
    const Event &first = kind.first, &second = kind.second;
    bool atomics = is_atomic(access) && is_atomic(kind.access);
    if (!first.site || (is_load(access) && is_load(kind.access)))
        return false;
    if (atomics && access == kind.access && access != Access::atomic)
        return false;

    /* A word that is read as a constant is not written in the launch. */
    *other = first;
    if (access == Access::constant_load || kind.access == Access::constant_load)
        return true;
    if (!actor.same_cluster(first))
        return true;
    if (second.site && !actor.same_cluster(second)) {
        *other = second;
        return true;
    }
    if (atomics || actor.all_after(first))
        return false;
    if (!kind.lanes && !actor.after(first))
        return true;
    if (second.site) {
        *other = second;
        return true;
    }
    if (!kind.lanes)
        return false;
    for (const Event &lane : lanes[kind.lanes])
        if (lane.site && !actor.after(lane)) {
            *other = lane;
            return true;
        }
    return false;
}

/* Whether an access may be kept in a kind that has others of that access. */
bool Shadow::belongs(const Actor &actor, const Kind &kind) const
{
    const Event &first = kind.first, &second = kind.second;
    if (!first.site || !actor.same_cluster(first))
        return true;
    if (second.site && !actor.same_cluster(second))
        return true;
    return (actor.same_block(first) && actor.arrived_as(first)) ||
           actor.all_after(first);
}

void Shadow::keep(const Actor &actor, const Event &now, Kind &kind)
{
    Event &first = kind.first, &second = kind.second;
    if (!first.site) {
        first = now;
        return;
    }
    if (!actor.same_cluster(first)) {
        bool two_clusters =
            second.site && first.thread / actor.peers.threads !=
                               second.thread / actor.peers.threads;
        if (!two_clusters) {
            second = now;
            drop_lanes(kind);
        }
        return;
    }
    if (second.site && !actor.same_cluster(second))
        return;
    if (actor.all_after(first)) {
        first = now;
        second = {};
        drop_lanes(kind);
        return;
    }
    if (second.site)
        return;
    if (!kind.lanes && actor.after(first)) {
        first = now;
        return;
    }
    if (!actor.same_warp(first)) {
        second = now;
        drop_lanes(kind);
        return;
    }
    if (!kind.lanes) {
        kind.lanes = new_lanes();
        lanes[kind.lanes][first.thread % 32] = first;
    }
    lanes[kind.lanes][now.thread % 32] = now;
}

uint32_t Shadow::new_lanes()
{
    if (spare_lanes.empty()) {
        lanes.emplace_back();
        return (uint32_t)lanes.size() - 1;
    }
    uint32_t index = spare_lanes.back();
    spare_lanes.pop_back();
    lanes[index] = {};
    return index;
}

void Shadow::drop_lanes(Kind &kind)
{
    if (kind.lanes)
        spare_lanes.push_back(kind.lanes);
    kind.lanes = 0;
}

uint32_t Shadow::divided(const Word &word)
{
    std::array<Word, 4> parts;
    for (Word &part : parts) {
        part.write = word.write;
        for (uint32_t i = word.kinds; i; i = kinds[i].next) {
            Kind copy = kinds[i];
            copy.next = part.kinds;
            if (copy.lanes) {
                uint32_t fresh = new_lanes();
                lanes[fresh] = lanes[copy.lanes];
                copy.lanes = fresh;
            }
            part.kinds = (uint32_t)kinds.size();
            kinds.push_back(copy);
        }
    }
    bytes.push_back(parts);
    return (uint32_t)bytes.size() - 1;
}

} // namespace vgpu
