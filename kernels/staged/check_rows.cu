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
 *   Barriers   2: after the state is followed; the vote on the lists
 */
__global__ void __launch_bounds__(threads)
    check_rows_kernel(call_view call, row_bounds bounds, bool lists_top)
{
    __shared__ row_state state;
    int32_t row = call.first_row + (int32_t)blockIdx.x;
    const tessera_params &params = *reinterpret_cast<const tessera_params *>(
        reinterpret_cast<const char *>(call.params) +
        blockIdx.x * call.params_stride);

    check_row_block<threads>(call, row, params, bounds, state);
    if (threadIdx.x != 0)
        return;
    state.sorted =
        state.valid && !state.greedy &&
        (state.params.top_k > 0 || state.params.top_p < 1.0f || lists_top);
    call.states[blockIdx.x] = state;
}

cudaError_t launch_check_rows(const call_view &call,
                              const parameter_ranges &ranges, uint32_t stages,
                              int32_t max_top_k, bool lists_top,
                              const queue &queue)
{
    return launch("check_rows", check_rows_kernel, dim3((unsigned)call.rows),
                  threads, queue, call, row_bounds{ranges, stages, max_top_k},
                  lists_top);
}

} // namespace tessera
