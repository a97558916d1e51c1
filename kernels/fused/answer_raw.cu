/*
 * answer_raw.cu - a row's outputs of the row as given
 */

#include "../write.cuh"
#include "kernels.h"
#include "row_reader.cuh"

namespace tessera
{

namespace
{

constexpr int threads = TESSERA_MAX_TOP_LOGPROBS;

__device__ uint32_t key_of_logit(const void *logits, tessera_dtype type,
                                 int32_t token)
{
    return key_of(widen_at(logits, type, token));
}

} // namespace

/*
 * answer_raw_kernel writes what is asked for of the row as given.
 *
 *   Launch     one block a row, 64 threads: an entry of the list each
 *   Reads      the state; the logit of the token; as much of the ranking as
 *              the list has
 *   Writes     the row's raw outputs
 *   Shared     none
 *   Barriers   none
 */
__global__ void __launch_bounds__(threads) answer_raw_kernel(fused_view fused)
{
    const fused_row &row = fused.rows[blockIdx.x];
    const row_state &state = row.state;
    const tessera_outputs &outputs = fused.call.outputs;
    size_t batch_row = (size_t)fused.call.first_row + blockIdx.x;
    uint32_t i = threadIdx.x;

    if (i < fused.raw_list_length) {
        int32_t token = -1;
        float logprob = minus_infinity();
        if (state.valid && i < row.ranked) {
            unsigned long long rank =
                fused.ranking[blockIdx.x * (size_t)most_selected + i];
            token = token_of_rank(rank);
            logprob = logprob_of(logit_of(key_of_rank(rank)),
                                 logit_of(key_of_rank(state.best)), 1.0f,
                                 log_sum(state.sum));
        }
        write_listed(outputs, batch_row, (int32_t)i, token, logprob);
    }
    if (i == 0)
        write_raw_drawn(outputs, batch_row, state,
                        state.token < 0
                            ? key_out
                            : key_of_logit(state.logits,
                                           fused.call.batch.logits_type,
                                           state.token));
}

cudaError_t launch_answer_raw(const fused_view &fused, const queue &queue)
{
    return launch("answer_raw", answer_raw_kernel,
                  dim3((unsigned)fused.call.rows), threads, queue, fused);
}

} // namespace tessera
