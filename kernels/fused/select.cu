/*
 * select.cu - the best tokens of each part of a row, in one read of the logits
 */

#include "../launch_typed.h"
#include "guess.cuh"
#include "select_block.cuh"

namespace tessera
{

namespace
{

constexpr int threads = 512;

} // namespace

/*
 * select_kernel finds the best tokens of a part of a row, as many as the row
 * asks for, and whether there is a NaN.
 *
 *   Launch     a block a part of a row, 512 threads, two blocks an SM: one
 *              keeps its best while the other's loads are in flight
 *   Thread     8 tokens a step in loads of 16 bytes, a warp's side by side,
 *              with those of the next step on their way; 16 where only the
 *              best token is wanted
 *   Reads      the part's logits once, but for groups that mask or edits take
 *              out whole; the mask; in a row with edits a bit a token, and the
 *              slots of the edited tokens
 *   Writes     the ranks found, and their number
 *   Shared     the selector, 33 KiB; a value a warp
 *   Barriers   a row that wants its best token alone: 1.  Others: 1 a step,
 *              behind which a full buffer is seen; 16 to 31 each time that
 *              it is: 2, 3 for each of 2 to 7 digits, and 8 while those that
 *              stay are moved; as many at most at the end
 *
 * Blocks of a row meet in an or.
 */
template <typename T, view View>
__global__ void __launch_bounds__(threads, 2) select_kernel(fused_view fused)
{
    __shared__ selector selector;

    fused_row &row = fused.rows[blockIdx.y];
    if (!row.state.valid ||
        (View == view::processed && guess_holds(fused, row)))
        return;

    row_reader<T> reader(fused, row, blockIdx.y, View);
    part part;
    part.first = (int32_t)blockIdx.x * fused.select_part_tokens;
    part.end = min(part.first + fused.select_part_tokens, fused.call.vocab);
    uint32_t k =
        View == view::raw ? max(fused.raw_list_length, 1u) : row.select;
    size_t list = blockIdx.y * (size_t)fused.select_parts + blockIdx.x;
    unsigned long long *ranks = fused.lists + list * most_selected;
    bool nan = false;

    if (k == 1) {
        unsigned long long best =
            best_block<threads>(reader, part, nan, keep_nothing{});
        if (threadIdx.x == 0) {
            ranks[0] = best;
            fused.list_counts[list] = best != 0;
        }
    } else {
        select_block<threads>(reader, part, k, selector, nan, keep_nothing{});
        for (uint32_t i = threadIdx.x; i < selector.count; i += threads)
            ranks[i] = selector.ranks[i];
        if (threadIdx.x == 0)
            fused.list_counts[list] = selector.count;
    }
    if (View == view::processed && nan)
        atomicOr(&row.state.nan, 1u);
}

template <view View>
static cudaError_t launch_of(const char *name, const fused_view &fused,
                             const queue &queue)
{
    dim3 blocks((unsigned)fused.select_parts, (unsigned)fused.call.rows);

    return launch_typed(fused.call.batch.logits_type, [&](auto logit) {
        return launch(name, select_kernel<decltype(logit), View>, blocks,
                      threads, queue, fused);
    });
}

cudaError_t launch_select(const fused_view &fused, view view,
                          const queue &queue)
{
    return view == view::raw
               ? launch_of<view::raw>("select_raw", fused, queue)
               : launch_of<view::processed>("select", fused, queue);
}

} // namespace tessera
