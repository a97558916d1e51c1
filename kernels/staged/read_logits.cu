/*
 * read_logits.cu - one pass over the logits: mask, keys, and the best token
 */

#include "../launch_typed.h"
#include "../stages/logits.cuh"
#include "../stages/mask.cuh"
#include "../stages/order.cuh"
#include "kernels.h"

namespace tessera
{

namespace
{

/* What a thread saw. */
struct seen {
    unsigned long long best;
    uint32_t in;
    bool nan;
};

/* The keys of Count tokens from 'token' on, of which 'allowed' bits may be in,
 * and all others are out. */
template <typename T>
__device__ void read_group(const T *logits, int32_t token, int32_t vocab,
                           uint32_t allowed, bool aligned,
                           uint32_t (&keys)[logits_vector<T>::size], bool &nan)
{
    constexpr int size = logits_vector<T>::size;
    logits_vector<T> group;

    if (aligned && token + size <= vocab) {
        group = *reinterpret_cast<const logits_vector<T> *>(logits + token);
    } else {
        for (int i = 0; i < size; i++)
            if (token + i < vocab)
                group.logit[i] = logits[token + i];
            else
                allowed &= ~(1u << i);
    }
    for (int i = 0; i < size; i++) {
        keys[i] = key_out;
        if (!(allowed >> i & 1))
            continue;
        float x = widen(group.logit[i]);
        if (isnan(x))
            nan = true;
        else
            keys[i] = key_of(x);
    }
}

} // namespace

/*
 * read_logits_kernel makes the keys of a row, and finds its best token.
 *
 *   Launch     a block a tile of 4096 tokens of a row, 256 threads
 *   Thread     16 tokens, in loads of 16 bytes that a warp takes side by side
 *   Reads      the logits of the row once, but for groups that the mask takes
 *              out whole; the mask, and a bit a token of the edits; the keys
 *              of edited tokens
 *   Writes     4 bytes a token, 4 more in rows that are sorted
 *   Shared     a value a warp
 *   Barriers   1, before the warps' values are joined
 *
 * Blocks of a row meet in a maximum, a sum and an or.
 */
template <typename T, view View>
__global__ void __launch_bounds__(tile_threads)
    read_logits_kernel(call_view call)
{
    constexpr int size = logits_vector<T>::size;
    row_state &state = call.states[blockIdx.y];
    if (!state.valid)
        return;

    const T *logits = static_cast<const T *>(state.logits);
    const uint32_t *mask = View == view::raw ? nullptr : state.mask;
    const uint32_t *edited =
        View == view::raw || !state.edited
            ? nullptr
            : call.edited + blockIdx.y * (size_t)call.edited_stride;
    bool aligned = reinterpret_cast<uintptr_t>(logits) % 16 == 0;
    uint32_t *row_keys = call.keys + blockIdx.y * (size_t)call.stride;
    int32_t *row_tokens = call.tokens + blockIdx.y * (size_t)call.stride;
    bool ranked = View == view::raw || state.sorted;
    seen seen = {};

    for (int load = 0; load < tile_tokens / tile_threads / size; load++) {
        int32_t token = (int32_t)blockIdx.x * tile_tokens +
                        (load * tile_threads + (int32_t)threadIdx.x) * size;
        if (token >= call.vocab)
            break;

        uint32_t keys[size];
        uint32_t edits = edited ? bits_at<size>(edited, token) : 0;
        uint32_t allowed = allowed_at<size>(mask, token) & ~edits;
        if (allowed)
            read_group(logits, token, call.vocab, allowed, aligned, keys,
                       seen.nan);
        else
            for (int i = 0; i < size; i++)
                keys[i] = key_out;
        for (int i = 0; i < size; i++) {
            if (edits >> i & 1)
                keys[i] = row_keys[token + i];
            if (is_in(keys[i])) {
                seen.best = max(seen.best, rank_of(keys[i], token + i));
                seen.in++;
            }
        }
        /* Rows of keys are padded to a multiple of 8. */
        for (int i = 0; i < size; i += 4)
            *reinterpret_cast<uint4 *>(row_keys + token + i) =
                make_uint4(keys[i], keys[i + 1], keys[i + 2], keys[i + 3]);
        if (ranked)
            for (int i = 0; i < size; i += 4)
                *reinterpret_cast<int4 *>(row_tokens + token + i) = make_int4(
                    token + i, token + i + 1, token + i + 2, token + i + 3);
    }

    __shared__ unsigned long long warp_best[tile_threads / 32];
    __shared__ uint32_t warp_in[tile_threads / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
        seen.best =
            max(seen.best, __shfl_xor_sync(0xffffffff, seen.best, offset));
        seen.in += __shfl_xor_sync(0xffffffff, seen.in, offset);
    }
    if (threadIdx.x % 32 == 0) {
        warp_best[threadIdx.x / 32] = seen.best;
        warp_in[threadIdx.x / 32] = seen.in;
    }
    bool nan = __syncthreads_or(seen.nan);
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < tile_threads / 32; warp++) {
            seen.best = max(seen.best, warp_best[warp]);
            seen.in += warp_in[warp];
        }
        if (seen.in > 0) {
            atomicMax(&state.best, seen.best);
            atomicAdd(&state.in, seen.in);
        }
        if (nan && View == view::processed)
            atomicOr(&state.nan, 1u);
    }
}

cudaError_t launch_read_logits(const call_view &call, view view,
                               const queue &queue)
{
    return launch_typed(call.batch.logits_type, [&](auto logit) {
        using T = decltype(logit);
        return launch("read_logits",
                      view == view::raw
                          ? read_logits_kernel<T, view::raw>
                          : read_logits_kernel<T, view::processed>,
                      tiles_of(call), tile_threads, queue, call);
    });
}

} // namespace tessera
