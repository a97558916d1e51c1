/*
 * edit_tokens.cu - bans, bias and penalties, on the tokens they touch
 *
 * Every entry of the lists and of the window claims its token; the one entry
 * that holds the claim in the end works the token out, from its logit to its
 * key, and marks it as edited, for the pass over the vocabulary to leave alone.
 * Which entry wins a claim changes nothing.  The cost is that of the lists, and
 * a bit a token to clear.
 */

#include "../edits.cuh"
#include "kernels.h"

namespace tessera
{

namespace
{

constexpr int threads = 256;

/* Scratch of a row, [vocab] each, in the arrays that the sort fills later.
 * Only entries of claimed tokens are ever written or read. */
struct scratch {
    uint32_t *claim; /* the entry that works the token out */
    uint32_t *count; /* and 'seen' */
    uint32_t *bias;  /* bits of a float, or 'banned' */
};

} // namespace

/*
 * edit_tokens_kernel sets the keys of the tokens that a row's edits touch.
 *
 *   Launch     one block a row, 256 threads: the lists of a row meet in its
 *              tokens, and blocks may not wait for each other
 *   Thread     every 256th entry, five times; entries repeat, so each step
 *              ends at a barrier
 *   Reads      bans, bias and window of the row five times, from L2 after the
 *              first; a logit and a mask word of each token in them
 *   Writes     a bit a token of the vocabulary, cleared; 12 bytes of scratch,
 *              a key and a bit for each edited token
 *   Shared     none
 *   Barriers   5, one after each step
 */
__global__ void __launch_bounds__(threads) edit_tokens_kernel(call_view call)
{
    row_state &state = call.states[blockIdx.x];
    size_t first = blockIdx.x * (size_t)call.stride;
    uint32_t *edited = call.edited + blockIdx.x * (size_t)call.edited_stride;
    scratch scratch = {
        reinterpret_cast<uint32_t *>(call.sorted_tokens) + first,
        call.sorted_keys + first,
        reinterpret_cast<uint32_t *>(call.tokens) + first,
    };
    entries entries = {state};

    for (uint32_t word = threadIdx.x; word < call.edited_stride;
         word += threads)
        edited[word] = 0;
    if (!state.valid || !state.edited)
        return;

    auto for_each = [&](auto step) {
        uint32_t count = entries.count();
        for (uint32_t i = threadIdx.x; i < count; i += threads) {
            int32_t token = entries.token(i);
            if (token >= 0 && token < call.vocab)
                step(i, token);
        }
        __syncthreads();
    };

    for_each([&](uint32_t i, int32_t token) {
        atomicExch(&scratch.claim[token], i);
    });
    for_each([&](uint32_t i, int32_t token) {
        if (scratch.claim[token] == i) {
            scratch.count[token] = 0;
            scratch.bias[token] = 0;
        }
    });
    for_each([&](uint32_t i, int32_t token) {
        entries.add(i, &scratch.count[token], &scratch.bias[token]);
    });
    for_each([&](uint32_t i, int32_t token) {
        entries.ban(i, &scratch.bias[token]);
    });
    for_each([&](uint32_t i, int32_t token) {
        if (scratch.claim[token] == i) {
            call.keys[first + token] =
                edited_key(state, call.batch.logits_type, token,
                           scratch.count[token], scratch.bias[token]);
            atomicOr(&edited[token / 32], 1u << token % 32);
        }
    });
}

cudaError_t launch_edit_tokens(const call_view &call, const queue &queue)
{
    return launch("edit_tokens", edit_tokens_kernel, dim3((unsigned)call.rows),
                  threads, queue, call);
}

} // namespace tessera
