/*
 * call_needs.h - what the rows of a call may need
 */

#ifndef TESSERA_CALL_NEEDS_H
#define TESSERA_CALL_NEEDS_H

#include "plan.h"

namespace tessera
{

/* So that what none of the rows needs is not launched. */
struct call_needs {
    uint32_t stages;   /* what a row may use */
    int32_t max_top_k; /* what a row may ask for */
    uint32_t used;     /* what some row does use, or may */
    bool edits;
    bool draws;
    bool lists_processed;
    bool lists_raw;
    bool ranks; /* a row that draws may need the order of its tokens */
    bool raw;
};

call_needs needs_of(const plan_state &state, const tessera_batch &batch,
                    const tessera_outputs &outputs);

/* The params of a row, in host memory. */
inline const tessera_params &params_at(const tessera_batch &batch, int32_t row)
{
    return *reinterpret_cast<const tessera_params *>(
        reinterpret_cast<const char *>(batch.params) +
        static_cast<size_t>(row) * batch.params_stride);
}

} // namespace tessera

#endif
