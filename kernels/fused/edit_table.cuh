/*
 * edit_table.cuh - the keys of a row's edited tokens, found by token
 *
 * Open addressing with linear probing, at most half full; where that would
 * take as many slots as there are tokens, a token's slot is its id.  A bit a
 * token of the vocabulary says which tokens are in it.
 */

#ifndef TESSERA_FUSED_EDIT_TABLE_CUH
#define TESSERA_FUSED_EDIT_TABLE_CUH

#include "kernels.h"

namespace tessera
{

constexpr uint32_t no_token = 0xffffffff;

struct edit_table {
    uint32_t *tokens;
    uint32_t *keys;
    uint32_t *biases;
    uint32_t slots;
    uint32_t bits;

    __device__ edit_table(const fused_view &view, const fused_row &row,
                          uint32_t chunk_row)
        : slots(row.slots), bits(row.slot_bits)
    {
        size_t first = chunk_row * (size_t)view.most_slots;
        tokens = view.edit_tokens + first;
        keys = view.edit_keys + first;
        biases = view.edit_biases + first;
    }

    __device__ uint32_t home(uint32_t token) const
    {
        return bits ? token * 0x9E3779B1u >> (32 - bits) : token;
    }

    /* The slot of a token, which it takes if it has none. */
    __device__ uint32_t claim(uint32_t token) const
    {
        for (uint32_t slot = home(token);; slot = (slot + 1) & (slots - 1)) {
            uint32_t before = atomicCAS(&tokens[slot], no_token, token);
            if (before == no_token || before == token)
                return slot;
        }
    }

    /* The key of a token that has a slot. */
    __device__ uint32_t key(uint32_t token) const
    {
        uint32_t slot = home(token);
        while (tokens[slot] != token)
            slot = (slot + 1) & (slots - 1);
        return keys[slot];
    }
};

} // namespace tessera

#endif
