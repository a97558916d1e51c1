/*
 * check_rows.cu - follow each row's indices and offsets, and check its values
 */

#include "../check.cuh"
#include "kernels.h"

namespace tessera
{

constexpr int threads = 128;

/*
 * check_rows_kernel fills the chunk's row states.
 *
 *   Launch     one block a row, 128 threads: lists of bias and bans are short,
 *              and rows are independent
 *   Thread     0 follows the row; all check the lists' entries
 *   Reads      the row's params, indices and lists
 *   Writes     its state
 *   Shared     the state, built there and copied out
 *   Barriers   3: after the state is followed; the vote on the lists; before
 *              the copy
 */
__global__ void __launch_bounds__(threads)
    check_rows_kernel(call_view call, parameter_ranges ranges, uint32_t stages,
                      int32_t max_top_k, bool lists_top)
{
    __shared__ row_state state;
    int32_t row = call.first_row + (int32_t)blockIdx.x;

    if (threadIdx.x == 0) {
        state = {};
        state.params = *reinterpret_cast<const tessera_params *>(
            reinterpret_cast<const char *>(call.params) +
            blockIdx.x * call.params_stride);
        state.token = -1;
        state.valid = params_valid(ranges, state.params) &&
                      (stages_of(state.params) & ~stages) == 0 &&
                      state.params.top_k <= max_top_k &&
                      follow_row(call, row, state);
    }
    __syncthreads();

    bool right = true;
    if (state.valid) {
        int32_t most = max(state.bias_count, state.ban_count);
        for (int32_t i = (int32_t)threadIdx.x; i < most; i += threads)
            right = right && edits_valid_at(state, i, call.vocab);
    }
    right = __syncthreads_and(right);

    if (threadIdx.x == 0) {
        const tessera_params &params = state.params;

        state.valid = state.valid && right;
        state.edited = state.bias_count > 0 || state.ban_count > 0 ||
                       state.prompt_length > 0 || state.generated_length > 0;
        state.greedy = is_greedy(params.temperature);
        state.sorted = state.valid && !state.greedy &&
                       (params.top_k > 0 || params.top_p < 1.0f || lists_top);
        if (!state.greedy) {
            state.c = scale_of(params.temperature);
            state.dmin = lowest_distance(state.c);
        }
        call.states[blockIdx.x] = state;
    }
}

cudaError_t launch_check_rows(const call_view &call,
                              const parameter_ranges &ranges, uint32_t stages,
                              int32_t max_top_k, bool lists_top,
                              const queue &queue)
{
    return launch("check_rows", check_rows_kernel, dim3((unsigned)call.rows),
                  threads, queue, call, ranges, stages, max_top_k, lists_top);
}

} // namespace tessera
