/*
 * plan_staged.cpp - the plan "staged": how a call is laid out and launched
 *
 * Ranks whole rows with a segmented sort where top-k, top-p or a list of top
 * tokens needs an order, and reads each row a fixed number of times.  Slow for
 * what it does, and simple: the plan that others are measured against.
 *
 * Calls larger than the workspace go through it in chunks of rows.
 */

#include "call_needs.h"
#include "carver.h"
#include "staged/kernels.h"

#include <algorithm>

namespace tessera
{

namespace
{

/* CUB counts items in an int. */
constexpr int64_t most_items = INT32_MAX;

struct workspace_layout {
    call_view call;
    void *sort_storage;
    size_t sort_storage_bytes;
    size_t bytes;
};

cudaError_t lay_out(const plan_state &state, int32_t chunk_rows, void *memory,
                    workspace_layout *layout)
{
    carver carver(memory);
    size_t rows = static_cast<size_t>(chunk_rows);
    call_view &call = layout->call;

    call = {};
    call.vocab = state.config.vocab;
    call.max_history = state.config.max_history;
    call.max_edits = state.config.max_edits;
    call.tiles = (call.vocab + tile_tokens - 1) / tile_tokens;
    call.stride = (call.vocab + 7) / 8 * 8;
    call.edited_stride = (call.vocab + 31) / 32;
    call.states = carver.take<row_state>(rows);
    call.params = carver.take<tessera_params>(rows);
    size_t elements = rows * static_cast<size_t>(call.stride);
    call.keys = carver.take<uint32_t>(elements);
    call.tokens = carver.take<int32_t>(elements);
    call.sorted_keys = carver.take<uint32_t>(elements);
    call.sorted_tokens = carver.take<int32_t>(elements);
    call.edited =
        carver.take<uint32_t>(rows * static_cast<size_t>(call.edited_stride));
    call.tile_sums =
        carver.take<unsigned long long>(rows * static_cast<size_t>(call.tiles));

    cudaError_t error =
        sort_bytes(call, chunk_rows, &layout->sort_storage_bytes);
    if (error != cudaSuccess)
        return error;
    layout->sort_storage = carver.take<char>(layout->sort_storage_bytes);
    layout->bytes = carver.bytes();
    return cudaSuccess;
}

/* Copies a chunk's params from host memory to the workspace. */
cudaError_t upload_params(const tessera_batch &batch, const call_view &call,
                          const queue &queue)
{
    for (int32_t first = 0; first < call.rows; first += params_a_launch) {
        int32_t count = std::min(params_a_launch, call.rows - first);
        params_block block = {};

        for (int32_t i = 0; i < count; i++)
            block.params[i] = params_at(batch, call.first_row + first + i);
        cudaError_t error =
            launch_upload_params(block, call.params + first, count, queue);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

/* The launches of one chunk, in order; the first error ends them. */
cudaError_t sample_chunk(const plan_state &state,
                         const workspace_layout &layout,
                         const call_needs &needs, const queue &queue)
{
    const call_view &call = layout.call;
    cudaError_t error = cudaSuccess;
    auto then = [&](bool wanted, auto launch) {
        if (wanted && error == cudaSuccess)
            error = launch();
    };
    auto sort = [&] {
        return launch_sort(call, layout.sort_storage, layout.sort_storage_bytes,
                           queue);
    };

    then(call.batch.params_memory == TESSERA_MEMORY_HOST,
         [&] { return upload_params(call.batch, call, queue); });
    then(true, [&] {
        return launch_check_rows(call, state.ranges, needs.stages,
                                 needs.max_top_k, needs.lists_processed, queue);
    });
    then(needs.edits, [&] { return launch_edit_tokens(call, queue); });
    then(true,
         [&] { return launch_read_logits(call, view::processed, queue); });
    then(needs.ranks, sort);
    then(needs.draws, [&] { return launch_filter(call, queue); });
    then(needs.draws,
         [&] { return launch_sum_weights(call, view::processed, queue); });
    then(true, [&] { return launch_choose(call, queue); });
    then(true, [&] { return launch_write_row(call, queue); });
    then(needs.raw, [&] { return launch_read_logits(call, view::raw, queue); });
    then(needs.raw, [&] { return launch_sum_weights(call, view::raw, queue); });
    then(needs.lists_raw, sort);
    then(needs.raw, [&] { return launch_write_raw(call, queue); });
    return error;
}

cudaError_t chunk_bytes(const plan_state &state, int32_t chunk_rows,
                        size_t *bytes)
{
    workspace_layout layout;
    cudaError_t error = lay_out(state, chunk_rows, nullptr, &layout);

    *bytes = error == cudaSuccess ? layout.bytes : 0;
    return error;
}

cudaError_t workspace_bytes(const plan_state &state, int32_t rows,
                            size_t *bytes)
{
    return chunk_bytes(state, std::clamp(rows, 1, state.chunk_rows), bytes);
}

/* The most rows that fit, by bisection: sizes never fall as rows grow. */
cudaError_t fit(plan_state *state)
{
    int64_t stride = (static_cast<int64_t>(state->config.vocab) + 7) / 8 * 8;
    int64_t most =
        std::min<int64_t>({state->config.max_rows, most_items / stride,
                           65535}); /* the grid's rows */
    int64_t least = 1;
    cudaError_t error = load_sort();

    if (error != cudaSuccess)
        return error;
    while (least < most) {
        int64_t middle = (least + most + 1) / 2;
        size_t bytes;

        error = chunk_bytes(*state, static_cast<int32_t>(middle), &bytes);

        if (error != cudaSuccess)
            return error;
        if (bytes <= state->config.workspace_limit)
            least = middle;
        else
            most = middle - 1;
    }
    state->chunk_rows = static_cast<int32_t>(least);
    return cudaSuccess;
}

cudaError_t sample(const plan_state &state, void *workspace,
                   const tessera_batch &batch, const tessera_outputs &outputs,
                   const queue &queue)
{
    int32_t chunk_rows = std::min(batch.rows, state.chunk_rows);
    workspace_layout layout;
    cudaError_t error = lay_out(state, chunk_rows, workspace, &layout);
    if (error != cudaSuccess)
        return error;

    call_view &call = layout.call;
    tessera_params *copied_params = call.params;
    call_needs needs = needs_of(state, batch, outputs);
    call.batch = batch;
    call.outputs = outputs;
    for (int64_t first = 0; first < batch.rows && error == cudaSuccess;
         first += chunk_rows) {
        call.first_row = static_cast<int32_t>(first);
        call.rows = std::min(chunk_rows, batch.rows - call.first_row);
        if (batch.params_memory == TESSERA_MEMORY_HOST) {
            call.params = copied_params;
            call.params_stride = sizeof(tessera_params);
        } else {
            call.params = reinterpret_cast<tessera_params *>(
                reinterpret_cast<char *>(batch.params) +
                static_cast<size_t>(first) * batch.params_stride);
            call.params_stride = batch.params_stride;
        }
        error = sample_chunk(state, layout, needs, queue);
    }
    return error;
}

} // namespace

const plan staged_plan = {
    TESSERA_PLAN_STAGED, "staged", fit, workspace_bytes, sample,
};

} // namespace tessera
