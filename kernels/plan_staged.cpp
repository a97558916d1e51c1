/*
 * plan_staged.cpp - the plan "staged": how a call is laid out and launched
 *
 * Ranks whole rows with a segmented sort where top-k, top-p or a list of top
 * tokens needs an order, and reads each row a fixed number of times.  Slow for
 * what it does, and simple: the plan that others are measured against.
 *
 * Calls larger than the workspace go through it in chunks of rows.
 */

#include "plan_staged.h"

#include "staged/kernels.h"

#include <algorithm>

namespace tessera
{

namespace
{

/* CUB counts items in an int. */
constexpr int64_t most_items = INT32_MAX;

constexpr size_t alignment = 256;

/* Hands out the parts of a workspace one after the other; with no memory, only
 * adds them up. */
class carver
{
  public:
    explicit carver(void *memory) : memory_(static_cast<char *>(memory))
    {
    }

    template <typename T>
    T *take(size_t count)
    {
        char *part = memory_ ? memory_ + used_ : nullptr;
        used_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
        return reinterpret_cast<T *>(part);
    }

    size_t used() const
    {
        return used_;
    }

  private:
    char *memory_;
    size_t used_ = 0;
};

struct workspace_layout {
    call_view call;
    void *sort_storage;
    size_t sort_storage_bytes;
    size_t bytes;
};

cudaError_t lay_out(const staged_plan &plan, int32_t chunk_rows, void *memory,
                    workspace_layout *layout)
{
    /* Room to align whatever the caller brings. */
    uintptr_t misaligned = reinterpret_cast<uintptr_t>(memory) % alignment;
    carver carver(memory && misaligned
                      ? static_cast<char *>(memory) + alignment - misaligned
                      : memory);
    size_t rows = static_cast<size_t>(chunk_rows);
    call_view &call = layout->call;

    call = {};
    call.vocab = plan.config.vocab;
    call.max_history = plan.config.max_history;
    call.max_edits = plan.config.max_edits;
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
    layout->bytes = carver.used() + alignment;
    return cudaSuccess;
}

/* What the rows of a call may need, so that what none does is not launched. */
struct call_needs {
    uint32_t stages;
    int32_t max_top_k;
    bool edits;
    bool draws;
    bool lists_processed;
    bool lists_raw;
    bool sort;
    bool raw;
};

const tessera_params &params_at(const tessera_batch &batch, int32_t row)
{
    return *reinterpret_cast<const tessera_params *>(
        reinterpret_cast<const char *>(batch.params) +
        static_cast<size_t>(row) * batch.params_stride);
}

call_needs needs_of(const staged_plan &plan, const tessera_batch &batch,
                    const tessera_outputs &outputs)
{
    call_needs needs = {};
    bool history = batch.prompt.lengths || batch.generated.lengths;
    uint32_t used = batch.stages;

    needs.stages = batch.stages;
    needs.max_top_k = batch.max_top_k;
    if (batch.params_memory == TESSERA_MEMORY_HOST) {
        used = 0;
        for (int32_t row = 0; row < batch.rows; row++)
            used |= plan.params_stages(&params_at(batch, row));
        needs.stages = UINT32_MAX;
        needs.max_top_k = INT32_MAX;
    }
    needs.edits = batch.bias_offsets || batch.ban_offsets ||
                  (history && (used & TESSERA_STAGE_PENALTIES));
    needs.draws = used & TESSERA_STAGE_DRAW;
    needs.lists_processed = outputs.top_n > 0 && !outputs.top_raw;
    needs.lists_raw = outputs.top_n > 0 && outputs.top_raw;
    needs.sort =
        needs.draws && (needs.lists_processed ||
                        (used & (TESSERA_STAGE_TOP_K | TESSERA_STAGE_TOP_P)));
    needs.raw = outputs.raw_logprob || outputs.rank || needs.lists_raw;
    return needs;
}

/* Copies a chunk's params from host memory to the workspace. */
cudaError_t upload_params(const tessera_batch &batch, const call_view &call,
                          cudaStream_t stream)
{
    for (int32_t first = 0; first < call.rows; first += params_a_launch) {
        int32_t count = std::min(params_a_launch, call.rows - first);
        params_block block = {};

        for (int32_t i = 0; i < count; i++)
            block.params[i] = params_at(batch, call.first_row + first + i);
        cudaError_t error =
            launch_upload_params(block, call.params + first, count, stream);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

/* The launches of one chunk, in order; the first error ends them. */
cudaError_t sample_chunk(const staged_plan &plan,
                         const workspace_layout &layout,
                         const call_needs &needs, cudaStream_t stream)
{
    const call_view &call = layout.call;
    cudaError_t error = cudaSuccess;
    auto then = [&](bool wanted, auto launch) {
        if (wanted && error == cudaSuccess)
            error = launch();
    };
    auto sort = [&] {
        return launch_sort(call, layout.sort_storage, layout.sort_storage_bytes,
                           stream);
    };

    then(call.batch.params_memory == TESSERA_MEMORY_HOST,
         [&] { return upload_params(call.batch, call, stream); });
    then(true, [&] {
        return launch_check_rows(call, plan.ranges, needs.stages,
                                 needs.max_top_k, needs.lists_processed,
                                 stream);
    });
    then(needs.edits, [&] { return launch_edit_tokens(call, stream); });
    then(true,
         [&] { return launch_read_logits(call, view::processed, stream); });
    then(needs.sort, sort);
    then(needs.draws, [&] { return launch_filter(call, stream); });
    then(needs.draws,
         [&] { return launch_sum_weights(call, view::processed, stream); });
    then(true, [&] { return launch_choose(call, stream); });
    then(true, [&] { return launch_write_row(call, stream); });
    then(needs.raw,
         [&] { return launch_read_logits(call, view::raw, stream); });
    then(needs.raw,
         [&] { return launch_sum_weights(call, view::raw, stream); });
    then(needs.lists_raw, sort);
    then(needs.raw, [&] { return launch_write_raw(call, stream); });
    return error;
}

cudaError_t chunk_bytes(const staged_plan &plan, int32_t chunk_rows,
                        size_t *bytes)
{
    workspace_layout layout;
    cudaError_t error = lay_out(plan, chunk_rows, nullptr, &layout);

    *bytes = error == cudaSuccess ? layout.bytes : 0;
    return error;
}

} // namespace

cudaError_t staged_workspace_bytes(const staged_plan &plan, int32_t rows,
                                   size_t *bytes)
{
    return chunk_bytes(plan, std::clamp(rows, 1, plan.chunk_rows), bytes);
}

/* The most rows that fit, by bisection: sizes never fall as rows grow. */
cudaError_t staged_fit(staged_plan *plan)
{
    int64_t stride = (static_cast<int64_t>(plan->config.vocab) + 7) / 8 * 8;
    int64_t most =
        std::min<int64_t>({plan->config.max_rows, most_items / stride,
                           65535}); /* the grid's rows */
    int64_t least = 1;
    cudaError_t error = load_sort();

    if (error != cudaSuccess)
        return error;
    while (least < most) {
        int64_t middle = (least + most + 1) / 2;
        size_t bytes;

        error = chunk_bytes(*plan, static_cast<int32_t>(middle), &bytes);

        if (error != cudaSuccess)
            return error;
        if (bytes <= plan->config.workspace_limit)
            least = middle;
        else
            most = middle - 1;
    }
    plan->chunk_rows = static_cast<int32_t>(least);
    return cudaSuccess;
}

cudaError_t staged_sample(const staged_plan &plan, void *workspace,
                          const tessera_batch &batch,
                          const tessera_outputs &outputs, cudaStream_t stream)
{
    int32_t chunk_rows = std::min(batch.rows, plan.chunk_rows);
    workspace_layout layout;
    cudaError_t error = lay_out(plan, chunk_rows, workspace, &layout);
    if (error != cudaSuccess)
        return error;

    call_view &call = layout.call;
    tessera_params *copied_params = call.params;
    call_needs needs = needs_of(plan, batch, outputs);
    call.batch = batch;
    call.outputs = outputs;
    for (int32_t first = 0; first < batch.rows && error == cudaSuccess;
         first += chunk_rows) {
        call.first_row = first;
        call.rows = std::min(chunk_rows, batch.rows - first);
        if (batch.params_memory == TESSERA_MEMORY_HOST) {
            call.params = copied_params;
            call.params_stride = sizeof(tessera_params);
        } else {
            call.params = reinterpret_cast<tessera_params *>(
                reinterpret_cast<char *>(batch.params) +
                static_cast<size_t>(first) * batch.params_stride);
            call.params_stride = batch.params_stride;
        }
        error = sample_chunk(plan, layout, needs, stream);
    }
    return error;
}

} // namespace tessera
