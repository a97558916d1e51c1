/*
 * write_row.cu - a row's outputs
 */

#include "../stages/logprobs.cuh"
#include "../stages/order.cuh"
#include "../stages/temperature.cuh"
#include "../stages/weight.cuh"
#include "kernels.h"

namespace tessera
{

namespace
{

constexpr int threads = TESSERA_MAX_TOP_LOGPROBS;

/* -inf, which is no constant of the language. */
__device__ float minus_infinity()
{
    return __uint_as_float(0xff800000);
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
    int64_t entry = (call.first_row + (int64_t)blockIdx.x) * n + i;
    if (call.outputs.top_tokens)
        call.outputs.top_tokens[entry] = token;
    if (call.outputs.top_logprobs)
        call.outputs.top_logprobs[entry] = logprob;
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
        if (outputs.token)
            outputs.token[row] = state.token;
        if (outputs.n_kept)
            outputs.n_kept[row] = drawn ? (int32_t)state.kept : 0;
        if (outputs.weight_sum)
            outputs.weight_sum[row] = drawn ? state.sum : 0;
        if (outputs.status) {
            uint32_t status = TESSERA_ROW_INVALID;
            if (state.valid)
                status = (state.nan ? TESSERA_ROW_NAN : 0) |
                         (state.best == 0 ? TESSERA_ROW_EMPTY : 0);
            outputs.status[row] = (uint8_t)status;
        }
        if (outputs.logprob) {
            float logprob = minus_infinity();
            if (drawn && state.greedy)
                logprob = 0.0f;
            else if (drawn)
                logprob = logprob_of(
                    logit_of(call.keys[blockIdx.x * (size_t)call.stride +
                                       state.token]),
                    logit_of(key_of_rank(state.best)), state.params.temperature,
                    log_of_sum);
            outputs.logprob[row] = logprob;
        }
        if (call.batch.advance_step) {
            tessera_params *params = reinterpret_cast<tessera_params *>(
                reinterpret_cast<char *>(call.params) +
                blockIdx.x * call.params_stride);
            if (params->step < 1ull << 62)
                params->step++;
        }
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
    bool drawn = state.token >= 0;
    double log_of_sum = state.sum > 0 ? log_sum(state.sum) : 0.0;

    if (outputs.top_n > 0 && outputs.top_raw)
        write_top(call, state, state.in, 1.0f, log_of_sum);
    if (threadIdx.x != 0)
        return;
    if (outputs.rank)
        outputs.rank[row] = drawn ? (int32_t)state.ahead + 1 : 0;
    if (outputs.raw_logprob)
        outputs.raw_logprob[row] =
            drawn ? logprob_of(
                        logit_of(call.keys[blockIdx.x * (size_t)call.stride +
                                           state.token]),
                        logit_of(key_of_rank(state.best)), 1.0f, log_of_sum)
                  : minus_infinity();
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
