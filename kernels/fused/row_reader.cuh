/*
 * row_reader.cuh - the logits of a row after its edits, 16 bytes at a time
 *
 * Processed: mask, bans, bias and penalties are applied as the logits are read.
 * Raw: as the caller gave them.  A token that is out reads as -inf, and a NaN
 * as a NaN, so that who reads can report it.  Nothing is written.
 */

#ifndef TESSERA_FUSED_ROW_READER_CUH
#define TESSERA_FUSED_ROW_READER_CUH

#include "../stages/logits.cuh"
#include "../stages/mask.cuh"
#include "../stages/order.cuh"
#include "edit_table.cuh"

namespace tessera
{

template <typename T>
class row_reader
{
  public:
    static constexpr int size = logits_vector<T>::size;

    /* Tokens as they are in memory, of which 'allowed' bits are to be widened,
     * and 'edits' bits have a key in the table. */
    struct group {
        logits_vector<T> logits;
        uint32_t allowed;
        uint32_t edits;
    };

    __device__ row_reader(const fused_view &view, const fused_row &row,
                          uint32_t chunk_row, tessera::view which)
        : logits_(static_cast<const T *>(row.state.logits)),
          mask_(which == view::raw ? nullptr : row.state.mask),
          edited_(which == view::raw || !row.state.edited
                      ? nullptr
                      : view.call.edited +
                            chunk_row * (size_t)view.call.edited_stride),
          table_(view, row, chunk_row), vocab_(view.call.vocab),
          aligned_(reinterpret_cast<uintptr_t>(logits_) % 16 == 0)
    {
    }

    /* Starts to load the tokens from 'token' on, a multiple of 'size', that
     * stand before 'end'. */
    __device__ void load(int32_t token, int32_t end, group &group) const
    {
        constexpr uint32_t all = (1u << size) - 1;

        group.allowed = 0;
        group.edits = 0;
        if (token >= end)
            return;
        group.allowed = allowed_at<size>(mask_, token);
        if (edited_) {
            group.edits = bits_at<size>(edited_, token);
            group.allowed &= ~group.edits;
        }
        if (!group.allowed)
            return;
        if (aligned_ && token + size <= vocab_) {
            group.logits =
                *reinterpret_cast<const logits_vector<T> *>(logits_ + token);
            return;
        }
        if (vocab_ - token < size)
            group.allowed &= all >> (size - (vocab_ - token));
#pragma unroll
        for (int i = 0; i < size; i++)
            if (group.allowed >> i & 1)
                group.logits.logit[i] = logits_[token + i];
    }

    /* The values of a group that load() gave. */
    __device__ void values(int32_t token, const group &group,
                           float (&x)[size]) const
    {
        constexpr uint32_t all = (1u << size) - 1;
        constexpr uint32_t minus_infinity = 0xff800000;

        if (group.allowed == all) {
#pragma unroll
            for (int i = 0; i < size; i++)
                x[i] = widen(group.logits.logit[i]);
            return;
        }
#pragma unroll
        for (int i = 0; i < size; i++)
            x[i] = group.allowed >> i & 1 ? widen(group.logits.logit[i])
                                          : __uint_as_float(minus_infinity);
        for (uint32_t edits = group.edits; edits != 0; edits &= edits - 1) {
            int edited = __ffs((int)edits) - 1;
            uint32_t key = table_.key((uint32_t)(token + edited));
            float value =
                is_in(key) ? logit_of(key) : __uint_as_float(minus_infinity);
#pragma unroll
            for (int i = 0; i < size; i++)
                x[i] = i == edited ? value : x[i];
        }
    }

    /* The key of one token; out if it is a NaN. */
    __device__ uint32_t key(int32_t token) const
    {
        if (edited_ && bits_at<1>(edited_, token))
            return table_.key((uint32_t)token);
        if (!allowed_at<1>(mask_, token))
            return key_out;
        float x = widen(logits_[token]);
        return isnan(x) ? key_out : key_of(x);
    }

  private:
    const T *logits_;
    const uint32_t *mask_;
    const uint32_t *edited_;
    edit_table table_;
    int32_t vocab_;
    bool aligned_;
};

} // namespace tessera

#endif
