/*
 * call_needs.cpp - what the rows of a call may need
 */

#include "call_needs.h"

namespace tessera
{

call_needs needs_of(const plan_state &state, const tessera_batch &batch,
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
            used |= state.params_stages(&params_at(batch, row));
        needs.stages = UINT32_MAX;
        needs.max_top_k = INT32_MAX;
    }
    needs.used = used;
    needs.edits = batch.bias_offsets || batch.ban_offsets ||
                  (history && (used & TESSERA_STAGE_PENALTIES));
    needs.draws = used & TESSERA_STAGE_DRAW;
    needs.lists_processed = outputs.top_n > 0 && !outputs.top_raw;
    needs.lists_raw = outputs.top_n > 0 && outputs.top_raw;
    needs.ranks =
        needs.draws && (needs.lists_processed ||
                        (used & (TESSERA_STAGE_TOP_K | TESSERA_STAGE_TOP_P)));
    needs.raw = outputs.raw_logprob || outputs.rank || needs.lists_raw;
    return needs;
}

} // namespace tessera
