/*
 * plan.h - the ways to go about a call
 *
 * A plan is a table of functions.  A sampler has one, picked when it is made;
 * the answer does not depend on which.
 */

#ifndef TESSERA_PLAN_H
#define TESSERA_PLAN_H

#include "choose_plan.h"
#include "launch.h"
#include "row_state.h"

namespace tessera
{

/* What a plan knows of its sampler, fixed when the sampler is made. */
struct plan_state {
    tessera_config config;
    parameter_ranges ranges;
    uint32_t (*params_stages)(const tessera_params *); /* the library's */
    int32_t chunk_rows; /* most rows of a chunk: as many as the limit holds */
    int32_t plain_chunk_rows; /* fused: the same in a call without edits */
    tessera_chip chip;        /* fused */
};

struct plan {
    tessera_plan bit; /* in tessera_config.plans */
    const char *name;

    /* Sets the rest of the state, from config, ranges and params_stages. */
    cudaError_t (*fit)(plan_state *state);

    /* Bytes of the workspace of a call with this many rows. */
    cudaError_t (*workspace_bytes)(const plan_state &state, int32_t rows,
                                   size_t *bytes);

    /* Enqueues a checked call. */
    cudaError_t (*sample)(const plan_state &state, void *workspace,
                          const tessera_batch &batch,
                          const tessera_outputs &outputs, const queue &queue);
};

extern const plan staged_plan;
extern const plan fused_plan;

} // namespace tessera

#endif
