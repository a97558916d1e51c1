/*
 * plan_staged.h - the plan "staged": how a call is laid out and launched
 */

#ifndef TESSERA_PLAN_STAGED_H
#define TESSERA_PLAN_STAGED_H

#include "row_state.h"

#include <cuda_runtime.h>

namespace tessera
{

/* The sizes of a workspace, fixed when a sampler is made. */
struct staged_plan {
    tessera_config config;
    parameter_ranges ranges;
    uint32_t (*params_stages)(const tessera_params *); /* the library's */
    int32_t chunk_rows; /* most rows of a chunk: as many as the limit holds */
};

/* Sets plan->chunk_rows, from the rest. */
cudaError_t staged_fit(staged_plan *plan);

/* Bytes of the workspace of a call with this many rows. */
cudaError_t staged_workspace_bytes(const staged_plan &plan, int32_t rows,
                                   size_t *bytes);

/* Enqueues a checked call. */
cudaError_t staged_sample(const staged_plan &plan, void *workspace,
                          const tessera_batch &batch,
                          const tessera_outputs &outputs, cudaStream_t stream);

} // namespace tessera

#endif
