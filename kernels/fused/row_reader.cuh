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
        uint32_t words[4];
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
          aligned_(reinterpret_cast<uintptr_t>(logits_) % 16 == 0),
          plain_(aligned_ && !mask_ && !edited_)
    {
    }

    /* Starts to load the tokens from 'token' on, a multiple of 'size', that
     * stand before 'end'. */
    __device__ void load(int32_t token, int32_t end, group &group) const
    {
        constexpr uint32_t all = (1u << size) - 1;

        group.edits = 0;
        if (plain_ && token + size <= end) {
            load_words(token, group);
            group.allowed = all;
            return;
        }
        group.allowed = 0;
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
            load_words(token, group);
            return;
        }
        if (vocab_ - token < size)
            group.allowed &= all >> (size - (vocab_ - token));
#pragma unroll
        for (int i = 0; i < size; i++) {
            uint32_t bits =
                group.allowed >> i & 1 ? bits_of(logits_[token + i]) : 0;
            if (i % (size / 4) == 0)
                group.words[i * 4 / size] = bits;
            else
                group.words[i * 4 / size] |= bits << 16;
        }
    }

    /* The values of a group that load() gave. */
    __device__ void values(int32_t token, const group &group,
                           float (&x)[size]) const
    {
        constexpr uint32_t all = (1u << size) - 1;

        if (group.allowed == all) {
#pragma unroll
            for (int i = 0; i < size; i++)
                x[i] = widen_of(group, i);
            return;
        }
#pragma unroll
        for (int i = 0; i < size; i++)
            x[i] =
                group.allowed >> i & 1 ? widen_of(group, i) : minus_infinity();
        for (uint32_t edits = group.edits; edits != 0; edits &= edits - 1) {
            int edited = __ffs((int)edits) - 1;
            uint32_t key = table_.key((uint32_t)(token + edited));
            float value = is_in(key) ? logit_of(key) : minus_infinity();
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
    __device__ void load_words(int32_t token, group &group) const
    {
        uint4 words = *reinterpret_cast<const uint4 *>(logits_ + token);

        group.words[0] = words.x;
        group.words[1] = words.y;
        group.words[2] = words.z;
        group.words[3] = words.w;
    }

    __device__ static uint32_t bits_of(T logit)
    {
        if constexpr (sizeof(T) == 4)
            return __float_as_uint(logit);
        else
            return *reinterpret_cast<const uint16_t *>(&logit);
    }

    __device__ static float widen_of(const group &group, int i)
    {
        if constexpr (sizeof(T) == 4) {
            return __uint_as_float(group.words[i]);
        } else {
            uint16_t bits = (uint16_t)(group.words[i / 2] >> i % 2 * 16);
            return widen(*reinterpret_cast<const T *>(&bits));
        }
    }

    const T *logits_;
    const uint32_t *mask_;
    const uint32_t *edited_;
    edit_table table_;
    int32_t vocab_;
    bool aligned_;
    bool plain_; /* aligned, and all tokens are as they are in memory */
};

} // namespace tessera

#endif
