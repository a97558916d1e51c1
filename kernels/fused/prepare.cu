/*
 * prepare.cu - check a row, and work out the tokens that its edits touch
 */

#include "../check.cuh"
#include "../edits.cuh"
#include "../stages/min_p.cuh"
#include "edit_table.cuh"
#include "least_kept.cuh"

namespace tessera
{

namespace
{

constexpr int threads = 256;

/* Fills the row's edit table.  Call from every thread of the block. */
__device__ void edit_tokens_block(const fused_view &view, row_state &state,
                                  const edit_table &table, uint32_t chunk_row)
{
    uint32_t *edited =
        view.call.edited + chunk_row * (size_t)view.call.edited_stride;
    entries entries = {state};
    auto for_each = [&](auto step) {
        uint32_t count = entries.count();
        for (uint32_t i = threadIdx.x; i < count; i += threads) {
            int32_t token = entries.token(i);
            if (token >= 0 && token < view.call.vocab)
                step(i, table.claim((uint32_t)token));
        }
        __syncthreads();
    };

    for (uint32_t word = threadIdx.x; word < view.call.edited_stride;
         word += threads)
        edited[word] = 0;
    for (uint32_t slot = threadIdx.x; slot < table.slots; slot += threads) {
        table.tokens[slot] = no_token;
        table.keys[slot] = 0;
        table.biases[slot] = 0;
    }
    __syncthreads();
    for_each([&](uint32_t i, uint32_t slot) {
        entries.add(i, &table.keys[slot], &table.biases[slot]);
    });
    for_each([&](uint32_t i, uint32_t slot) {
        entries.ban(i, &table.biases[slot]);
    });
    for (uint32_t slot = threadIdx.x; slot < table.slots; slot += threads) {
        uint32_t token = table.tokens[slot];
        if (token == no_token)
            continue;
        table.keys[slot] =
            edited_key(state, view.call.batch.logits_type, (int32_t)token,
                       table.keys[slot], table.biases[slot]);
        atomicOr(&edited[token / 32], 1u << token % 32);
    }
}

/* Whether guess weighs a row, and if so which tokens it keeps.  Call from every
 * thread of the block. */
__device__ void prepare_guess_block(const fused_view &view,
                                    const row_state &state, fused_row &row)
{
    /* A NaN is not above -inf. */
    bool guessed =
        view.guesses && state.valid && state.maximum > minus_infinity() &&
        weighs_outright(state.params, state.greedy, view.list_length);

    if (threadIdx.x == 0)
        row.guessed = guessed;
    if (!guessed || threadIdx.x >= 32)
        return;
    float least = least_kept_warp(key_of(state.maximum), state.c, state.dmin,
                                  min_p_threshold(state.params.min_p));
    if (threadIdx.x == 0)
        row.least = least;
}

__device__ const tessera_params &params_of(const fused_view &view,
                                           const params_on_device &, uint32_t,
                                           uint32_t chunk_row)
{
    return *reinterpret_cast<const tessera_params *>(
        reinterpret_cast<const char *>(view.call.params) +
        chunk_row * view.call.params_stride);
}

__device__ const tessera_params &
params_of(const fused_view &, const prepare_params &given, uint32_t i, uint32_t)
{
    return given.params[i];
}

} // namespace

/*
 * prepare_kernel makes the state of a row.
 *
 *   Launch     one block a row, 256 threads: the lists of a row meet in its
 *              tokens, and blocks may not wait for each other
 *   Thread     0 follows the row; all check the lists' entries and, where the
 *              row has edits, take every 256th entry and slot; the first warp
 *              of a row to guess at searches its lowest logit that is kept
 *   Reads      the row's params, indices and lists; a logit and a mask word of
 *              each edited token
 *   Writes     its state; in a row with edits, a bit a token of the vocabulary
 *              and two to four slots of 12 bytes an entry
 *   Shared     the state, built there and copied out
 *   Barriers   5 for the state; 3 more in a row with edits: after clearing,
 *              after counting, after bans
 */
template <typename Params>
__global__ void __launch_bounds__(threads)
    prepare_kernel(fused_view view, row_bounds bounds,
                   const __grid_constant__ Params params, uint32_t first)
{
    __shared__ row_state state;
    uint32_t chunk_row = first + blockIdx.x;
    fused_row &row = view.rows[chunk_row];

    check_row_block<threads>(
        view.call, view.call.first_row + (int32_t)chunk_row,
        params_of(view, params, blockIdx.x, chunk_row), bounds, state);
    __syncthreads();
    if (threadIdx.x == 0 && state.valid && state.edited)
        row.slots =
            slots_for(entries{state}.count(), view.most_slots, &row.slot_bits);
    __syncthreads();
    if (state.valid && state.edited)
        edit_tokens_block(view, state, edit_table(view, row, chunk_row),
                          chunk_row);
    prepare_guess_block(view, state, row);
    __syncthreads();
    if (threadIdx.x == 0) {
        state.threshold = min_p_threshold(state.params.min_p);
        row.state = state;
        row.select =
            tokens_to_select(state.params, state.greedy, view.list_length);
        row.path = path_done;
    }
}

cudaError_t launch_prepare(const fused_view &view, const row_bounds &bounds,
                           const prepare_params *params, int32_t first,
                           int32_t count, const queue &queue)
{
    dim3 blocks((unsigned)count);

    if (params)
        return launch("prepare", prepare_kernel<prepare_params>, blocks,
                      threads, queue, view, bounds, *params, (uint32_t)first);
    return launch("prepare", prepare_kernel<params_on_device>, blocks, threads,
                  queue, view, bounds, params_on_device{}, (uint32_t)first);
}

} // namespace tessera
