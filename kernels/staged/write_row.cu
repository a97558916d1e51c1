/*
 * write_row.cu - a row's outputs
 */

#include "../stages/temperature.cuh"
#include "../write.cuh"
#include "kernels.h"

namespace tessera
{

namespace
{

constexpr int threads = TESSERA_MAX_TOP_LOGPROBS;

__device__ uint32_t key_of_drawn(const call_view &call, const row_state &state)
{
    return call.keys[blockIdx.x * (size_t)call.stride + state.token];
}

/* An entry of the list of top tokens: of a ranked row, of a greedy one (which
 * keeps its best), or of none. */
__device__ void write_top(const call_view &call, const row_state &state,
                          uint32_t count, float temperature, double log_of_sum)
{
    int32_t n = call.outputs.top_n;
    int32_t i = (int32_t)threadIdx.x;
    if (i >= n)
        return;

    int32_t token = -1;
    float logprob = minus_infinity();
    if ((uint32_t)i < count) {
        size_t place = blockIdx.x * (size_t)call.stride + i;
        float m = logit_of(key_of_rank(state.best));
        token = state.sorted ? call.sorted_tokens[place]
                             : token_of_rank(state.best);
        logprob = state.sorted ? logprob_of(logit_of(call.sorted_keys[place]),
                                            m, temperature, log_of_sum)
                               : 0.0f;
    }
    write_listed(call.outputs, (size_t)call.first_row + blockIdx.x, i, token,
                 logprob);
}

} // namespace

/*
 * write_row_kernel writes what is asked for of the row as drawn, advances its
 * step, and makes its state ready for the raw view.
 *
 *   Launch     one block a row, 64 threads: an entry of the list each
 *   Reads      the state; the key of the token; as many sorted keys and tokens
 *              as the list has
 *   Writes     the row's outputs but the raw ones; its step
 *   Shared     none
 *   Barriers   1, between the last reads of the state and its reset
 */
__global__ void __launch_bounds__(threads) write_row_kernel(call_view call)
{
    row_state &state = call.states[blockIdx.x];
    const tessera_outputs &outputs = call.outputs;
    size_t row = (size_t)call.first_row + blockIdx.x;
    bool drawn = state.token >= 0;
    double log_of_sum = drawn ? log_sum(state.sum) : 0.0;

    if (outputs.top_n > 0 && !outputs.top_raw)
        write_top(call, state, drawn ? state.kept : 0, state.params.temperature,
                  log_of_sum);

    if (threadIdx.x == 0) {
        write_drawn(outputs, row, state,
                    drawn ? key_of_drawn(call, state) : key_out);
        if (call.batch.advance_step)
            advance_step(call, blockIdx.x);
    }
    __syncthreads();

    if (threadIdx.x == 0) {
        state.best = 0;
        state.in = 0;
        state.sum = 0;
        state.kept = 0;
        state.threshold = 1;
        state.c = scale_of(1.0f);
        state.dmin = lowest_distance(state.c);
        state.sorted = state.valid && outputs.top_n > 0 && outputs.top_raw;
    }
}

/*
 * write_raw_kernel writes what is asked for of the row as given.
 *
 *   Launch     one block a row, 64 threads: an entry of the list each
 *   Reads      the state; the key of the token; as many sorted keys and tokens
 *              as the list has
 *   Writes     the row's raw outputs
 *   Shared     none
 *   Barriers   none
 */
__global__ void __launch_bounds__(threads) write_raw_kernel(call_view call)
{
    const row_state &state = call.states[blockIdx.x];
    const tessera_outputs &outputs = call.outputs;
    size_t row = (size_t)call.first_row + blockIdx.x;
    double log_of_sum = state.sum > 0 ? log_sum(state.sum) : 0.0;

    if (outputs.top_n > 0 && outputs.top_raw)
        write_top(call, state, state.in, 1.0f, log_of_sum);
    if (threadIdx.x != 0)
        return;
    write_raw_drawn(outputs, row, state,
                    state.token >= 0 ? key_of_drawn(call, state) : key_out);
}

cudaError_t launch_write_row(const call_view &call, const queue &queue)
{
    return launch("write_row", write_row_kernel, dim3((unsigned)call.rows),
                  threads, queue, call);
}

cudaError_t launch_write_raw(const call_view &call, const queue &queue)
{
    return launch("write_raw", write_raw_kernel, dim3((unsigned)call.rows),
                  threads, queue, call);
}

} // namespace tessera
