/*
 * plan_fused.cpp - the plan "fused": how a call is laid out and launched
 *
 * Where rows are few and fit the shared memory of a cluster of blocks they are
 * read once.  Else once to find the best tokens of every row, which answers
 * most rows with a filter, and a second time to weigh the others, but for those
 * whose largest logit the caller knew.  Nothing as long as a row is written.
 *
 * Calls larger than the workspace go through it in chunks of rows.  Tables of
 * edited tokens take by far the most of it, so a call without edits has larger
 * chunks.
 */

#include "call_needs.h"
#include "carver.h"
#include "choose_plan.h"
#include "fused/kernels.h"

#include <algorithm>

namespace tessera
{

namespace
{

constexpr int32_t most_rows = 65535; /* of a grid */

int32_t tiles_of(int32_t vocab)
{
    return (vocab + warp_tile_tokens - 1) / warp_tile_tokens;
}

/* Lays out the workspace of a chunk in 'fused', from 'memory' on; gives its
 * bytes, which never fall as rows grow. */
size_t lay_out(const plan_state &state, int32_t chunk_rows, bool edits,
               void *memory, fused_view *fused)
{
    carver carver(memory);
    size_t rows = static_cast<size_t>(chunk_rows);
    call_view &call = fused->call;

    *fused = {};
    call.vocab = state.config.vocab;
    call.max_history = state.config.max_history;
    call.max_edits = state.config.max_edits;
    fused->tiles = tiles_of(call.vocab);
    fused->rows = carver.take<fused_row>(rows);
    if (edits) {
        uint64_t entries = static_cast<uint64_t>(call.max_history) +
                           static_cast<uint64_t>(call.max_edits);
        uint32_t bits;
        fused->most_slots =
            slots_for(entries, static_cast<uint32_t>(call.vocab), &bits);
        call.edited_stride = (call.vocab + 31) / 32;
        size_t slots = rows * fused->most_slots;
        fused->edit_tokens = carver.take<uint32_t>(slots);
        fused->edit_keys = carver.take<uint32_t>(slots);
        fused->edit_biases = carver.take<uint32_t>(slots);
        call.edited = carver.take<uint32_t>(
            rows * static_cast<size_t>(call.edited_stride));
    }
    size_t parts = static_cast<size_t>(tessera_most_select_parts(
        &state.chip, call.vocab, chunk_rows, warp_tile_tokens));
    fused->lists = carver.take<unsigned long long>(parts * most_selected);
    fused->list_counts = carver.take<uint32_t>(parts);
    fused->ranking = carver.take<unsigned long long>(rows * most_selected);
    fused->tile_sums = carver.take<unsigned long long>(
        rows * static_cast<size_t>(fused->tiles));
    fused->bin_weights = carver.take<unsigned long long>(rows * most_bins);
    fused->bin_counts = carver.take<uint32_t>(rows * most_bins);
    return carver.bytes();
}

/* What this plan needs to know of a call's rows besides. */
struct fused_needs {
    int32_t selected; /* most tokens that select finds for one */
    bool weighs;      /* one may not be answered by the tokens found */
    bool guesses;     /* what the caller says of one may save a read */
};

fused_needs fused_needs_of(const plan_state &state, const tessera_batch &batch,
                           const call_needs &needs, uint32_t list_length)
{
    fused_needs fused = {1, false, false};
    auto add = [&](const tessera_params &params, bool greedy) {
        fused.selected =
            std::max(fused.selected, static_cast<int32_t>(tokens_to_select(
                                         params, greedy, list_length)));
        fused.weighs |=
            !greedy && !(params.top_k > 0 && params.top_k <= most_selected);
        fused.guesses |=
            batch.row_maxima && weighs_outright(params, greedy, list_length);
    };

    if (batch.params_memory == TESSERA_MEMORY_HOST) {
        for (int32_t row = 0; row < batch.rows; row++) {
            const tessera_params &params = params_at(batch, row);
            add(params, !(state.params_stages(&params) & TESSERA_STAGE_DRAW));
        }
        return fused;
    }
    /* Any row may turn off any stage. */
    tessera_params params = TESSERA_PARAMS_INIT;
    add(params, !needs.draws);
    if (needs.used & TESSERA_STAGE_TOP_K)
        params.top_k = needs.max_top_k;
    add(params, !needs.draws);
    params.top_k = 0;
    if (needs.used & TESSERA_STAGE_TOP_P)
        params.top_p = 0.0f;
    if (needs.used & TESSERA_STAGE_MIN_P)
        params.min_p = 1.0f;
    add(params, !needs.draws);
    return fused;
}

/* Prepares a chunk's rows; their params travel with the launches if they are in
 * host memory. */
cudaError_t prepare(const plan_state &state, const fused_view &fused,
                    const call_needs &needs, const queue &queue)
{
    const call_view &call = fused.call;
    row_bounds bounds = {state.ranges, needs.stages, needs.max_top_k};

    if (call.batch.params_memory == TESSERA_MEMORY_SAMPLER)
        return launch_prepare(fused, bounds, nullptr, 0, call.rows, queue);
    for (int32_t first = 0; first < call.rows; first += params_a_prepare) {
        int32_t count = std::min(params_a_prepare, call.rows - first);
        prepare_params given = {};

        for (int32_t i = 0; i < count; i++)
            given.params[i] = params_at(call.batch, call.first_row + first + i);
        cudaError_t error =
            launch_prepare(fused, bounds, &given, first, count, queue);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

/* The launches of one chunk, in order; the first error ends them. */
cudaError_t sample_chunk(const plan_state &state, const fused_view &fused,
                         const call_needs &needs, bool weighs,
                         const queue &queue)
{
    bool resident = fused.cluster_blocks > 0;
    cudaError_t error = prepare(state, fused, needs, queue);
    auto then = [&](bool wanted, auto launch) {
        if (wanted && error == cudaSuccess)
            error = launch();
    };

    then(resident, [&] { return launch_resident(fused, queue); });
    then(fused.guesses, [&] { return launch_guess(fused, queue); });
    then(!resident,
         [&] { return launch_select(fused, view::processed, queue); });
    then(!resident, [&] { return launch_rank(fused, view::processed, queue); });
    then(!resident && weighs,
         [&] { return launch_weigh(fused, view::processed, queue); });
    then(!resident && weighs, [&] { return launch_settle(fused, queue); });
    then(needs.raw, [&] { return launch_select(fused, view::raw, queue); });
    then(needs.raw, [&] { return launch_rank(fused, view::raw, queue); });
    then(needs.raw, [&] { return launch_weigh(fused, view::raw, queue); });
    then(needs.raw, [&] { return launch_answer_raw(fused, queue); });
    return error;
}

int32_t chunk_of(const plan_state &state, bool edits, int32_t rows)
{
    return std::min(rows, edits ? state.chunk_rows : state.plain_chunk_rows);
}

/* The most rows that fit, by bisection; at least one. */
int32_t rows_that_fit(const plan_state &state, bool edits)
{
    int32_t least = 1;
    int32_t most = std::min(state.config.max_rows, most_rows);

    while (least < most) {
        int32_t middle = least + (most - least + 1) / 2;
        fused_view fused;

        if (lay_out(state, middle, edits, nullptr, &fused) <=
            state.config.workspace_limit)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

cudaError_t fit(plan_state *state)
{
    cudaError_t error = cudaDeviceGetAttribute(&state->chip.multiprocessors,
                                               cudaDevAttrMultiProcessorCount,
                                               state->config.device_ordinal);

    if (error == cudaSuccess)
        error = fit_resident(state->config.device_ordinal, &state->chip);
    if (error != cudaSuccess)
        return error;
    state->chunk_rows = rows_that_fit(*state, true);
    state->plain_chunk_rows = rows_that_fit(*state, false);
    return cudaSuccess;
}

cudaError_t workspace_bytes(const plan_state &state, int32_t rows,
                            size_t *bytes)
{
    *bytes = 0;
    for (bool edits : {false, true}) {
        fused_view fused;
        int32_t chunk_rows = std::max(chunk_of(state, edits, rows), 1);

        *bytes = std::max(*bytes,
                          lay_out(state, chunk_rows, edits, nullptr, &fused));
    }
    return cudaSuccess;
}

cudaError_t sample(const plan_state &state, void *workspace,
                   const tessera_batch &batch, const tessera_outputs &outputs,
                   const queue &queue)
{
    call_needs needs = needs_of(state, batch, outputs);
    int32_t chunk_rows = chunk_of(state, needs.edits, batch.rows);
    cudaError_t error = cudaSuccess;
    fused_view fused;

    lay_out(state, std::max(chunk_rows, 1), needs.edits, workspace, &fused);
    call_view &call = fused.call;
    call.batch = batch;
    call.outputs = outputs;
    call.params_stride = batch.params_stride;
    fused.list_length =
        needs.lists_processed ? static_cast<uint32_t>(outputs.top_n) : 0;
    fused.raw_list_length =
        needs.lists_raw ? static_cast<uint32_t>(outputs.top_n) : 0;
    fused_needs own = fused_needs_of(state, batch, needs, fused.list_length);
    for (int64_t first = 0; first < batch.rows && error == cudaSuccess;
         first += chunk_rows) {
        call.first_row = static_cast<int32_t>(first);
        call.rows = std::min(chunk_rows, batch.rows - call.first_row);
        /* Params in host memory are not written here: see prepare(). */
        if (batch.params_memory == TESSERA_MEMORY_SAMPLER)
            call.params = reinterpret_cast<tessera_params *>(
                reinterpret_cast<char *>(batch.params) +
                static_cast<size_t>(first) * batch.params_stride);
        else
            call.batch.advance_step = 0;

        tessera_shape_request request = {call.vocab, call.rows, own.selected,
                                         warp_tile_tokens, own.weighs};
        tessera_shape shape = tessera_choose_shape(&state.chip, &request);
        fused.select_parts = shape.select_parts;
        fused.select_part_tokens = shape.select_part_tiles * warp_tile_tokens;
        fused.weigh_parts = shape.weigh_parts;
        fused.weigh_part_tiles = shape.weigh_part_tiles;
        fused.cluster_blocks = shape.cluster_blocks;
        fused.resident_tiles = shape.resident_tiles;
        fused.holds_rows = own.weighs;
        fused.guesses = own.guesses && shape.cluster_blocks == 0;
        error = sample_chunk(state, fused, needs, own.weighs, queue);
    }
    return error;
}

} // namespace

const plan fused_plan = {
    TESSERA_PLAN_FUSED, "fused", fit, workspace_bytes, sample,
};

} // namespace tessera
