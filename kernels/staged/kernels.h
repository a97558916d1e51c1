/*
 * kernels.h - the launches of the plan "staged", in their order
 *
 *     upload_params  (params in host memory)
 *     check_rows  -> edit_tokens -> read_logits -> sort -> filter
 *                 -> sum_weights -> choose -> write_row
 *     read_logits -> sum_weights -> sort -> write_raw  (raw ones are wanted)
 *
 * Each launches one kernel over a chunk of rows, in stream order, and returns
 * the launch's own error.  The sort is CUB's, of as many kernels as it takes.
 */

#ifndef TESSERA_STAGED_KERNELS_H
#define TESSERA_STAGED_KERNELS_H

#include "../launch.h"
#include "../row_state.h"

namespace tessera
{

/* The rows and tiles of a pass over the vocabulary. */
inline dim3 tiles_of(const call_view &call)
{
    return dim3((unsigned)call.tiles, (unsigned)call.rows);
}

/* Params travel as a launch's arguments, so that they are read before the call
 * returns, captured or not. */
constexpr int params_a_launch = 48;
struct params_block {
    tessera_params params[params_a_launch];
};
cudaError_t launch_upload_params(const params_block &block,
                                 tessera_params *params, int32_t count,
                                 const queue &queue);

cudaError_t launch_check_rows(const call_view &call,
                              const parameter_ranges &ranges, uint32_t stages,
                              int32_t max_top_k, bool lists_top,
                              const queue &queue);
cudaError_t launch_edit_tokens(const call_view &call, const queue &queue);
cudaError_t launch_read_logits(const call_view &call, view view,
                               const queue &queue);

/* Call before the first of the next two. */
cudaError_t load_sort();

/* Bytes of CUB's storage for the sort of a chunk of this many rows. */
cudaError_t sort_bytes(const call_view &call, int32_t rows, size_t *bytes);
cudaError_t launch_sort(const call_view &call, void *storage,
                        size_t storage_bytes, const queue &queue);

cudaError_t launch_filter(const call_view &call, const queue &queue);
cudaError_t launch_sum_weights(const call_view &call, view view,
                               const queue &queue);
cudaError_t launch_choose(const call_view &call, const queue &queue);
cudaError_t launch_write_row(const call_view &call, const queue &queue);
cudaError_t launch_write_raw(const call_view &call, const queue &queue);

} // namespace tessera

#endif
