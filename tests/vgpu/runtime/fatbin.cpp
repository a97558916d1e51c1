/*
 * fatbin.cpp - the PTX inside a registered fat binary
 *
 * The format is not documented; these are its fields as nvcc 13.0 writes
 * them, and a magic number or a kind that is not as expected is a problem,
 * not skipped.
 */

#include "fatbin.h"

#include <cstdint>
#include <cstring>

namespace vgpu
{

namespace
{

constexpr uint32_t wrapper_magic = 0x466243b1, binary_magic = 0xba55ed50;

struct Wrapper {
    uint32_t magic, version;
    const unsigned char *data;
    const void *file_name;
};

struct Header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of all entries */
};

enum : uint16_t { kind_ptx = 1, kind_elf = 2 };

struct Entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes; /* of what follows the header */
    uint32_t compressed_bytes, options_offset;
    uint16_t minor, major;
    uint32_t architecture;
};

template <typename T>
T read(const unsigned char *from)
{
    T value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* An entry is padded with zeros. */
std::string text_of(const unsigned char *from, size_t bytes)
{
    const char *text = reinterpret_cast<const char *>(from);
    return std::string(text, strnlen(text, bytes));
}

} // namespace

PtxText ptx_for(const void *wrapper, int architecture)
{
    PtxText best;
    Wrapper w = read<Wrapper>(static_cast<const unsigned char *>(wrapper));
    if (w.magic != wrapper_magic) {
        best.problem = "a fat binary of an unknown form";
        return best;
    }
    Header header = read<Header>(w.data);
    if (header.magic != binary_magic) {
        best.problem = "a fat binary of an unknown form";
        return best;
    }
    const unsigned char *at = w.data + header.header_bytes;
    const unsigned char *end = at + header.bytes;
    while (at < end) {
        Entry entry = read<Entry>(at);
        const unsigned char *data = at + entry.header_bytes;
        int of = (int)entry.architecture;
        at = data + entry.bytes;
        if (entry.kind != kind_ptx || of > architecture ||
            of <= best.architecture)
            continue;
        best.architecture = of;
        best.text = text_of(data, entry.bytes);
    }
    if (best.text.empty())
        best.problem = "no PTX for compute_" + std::to_string(architecture) +
                       " or below in the program";
    else if (best.text.find(".version") == std::string::npos)
        best.problem = "the PTX is compressed: compile with --no-compress";
    return best;
}

} // namespace vgpu
