/*
 * row_view.c - a row of logits in blocks, its mask and edits in place
 */

#include "row_view.h"

#include <float.h>

static void view_start(struct row_view *view, struct scratch *scratch,
                       const struct blocks *blocks, const void *logits,
                       enum tessera_dtype type, size_t tokens)
{
    *view = (struct row_view){
        .loops = scratch->loops,
        .logits = logits,
        .type = type,
        .tokens = tokens,
        .block_count = block_count(tokens),
        .blocks = *blocks,
        .m = -INFINITY,
    };
}

void view_raw(struct row_view *view, struct scratch *scratch,
              const struct blocks *blocks,
              const struct tessera_question *question, size_t tokens)
{
    view_start(view, scratch, blocks, question->logits, question->logits_type,
               tokens);
}

void view_list(struct row_view *view, struct scratch *scratch,
               const struct token_list *list, size_t tokens)
{
    view_start(view, scratch, &scratch->survivor_blocks, list->x,
               TESSERA_FLOAT32, tokens);
    view->ids = list->id;
}

/* The block as it stands, widened; filled up with -inf past the row's end. */
static const float *read_block(const struct row_view *view, size_t block,
                               float *buffer)
{
    size_t first = block * BLOCK_TOKENS;
    size_t rest = view->tokens - first;
    bool whole = rest >= BLOCK_TOKENS;

    if (view->type == TESSERA_FLOAT32) {
        const float *x = (const float *)view->logits + first;

        if (whole)
            return x;
        for (size_t i = 0; i < BLOCK_TOKENS; i++)
            buffer[i] = i < rest ? x[i] : -INFINITY;
        return buffer;
    }

    const uint16_t *x = (const uint16_t *)view->logits + first;
    uint16_t filled[BLOCK_TOKENS];
    if (!whole) {
        uint16_t out = view->type == TESSERA_FLOAT16 ? 0xfc00 : 0xff80;

        for (size_t i = 0; i < BLOCK_TOKENS; i++)
            filled[i] = i < rest ? x[i] : out;
        x = filled;
    }
    if (view->type == TESSERA_FLOAT16)
        view->loops->widen_float16(x, buffer);
    else
        view->loops->widen_bfloat16(x, buffer);
    return buffer;
}

/* The words of a block's mask, 0 past the row's end. */
static const uint32_t *mask_words(const struct row_view *view, size_t block,
                                  uint32_t words[BLOCK_TOKENS / 32])
{
    size_t first = block * (BLOCK_TOKENS / 32);
    size_t rest = (view->tokens + 31) / 32 - first;

    if (rest >= BLOCK_TOKENS / 32)
        return view->mask + first;
    for (size_t i = 0; i < BLOCK_TOKENS / 32; i++)
        words[i] = i < rest ? view->mask[first + i] : 0;
    return words;
}

static bool all_zero(const uint32_t *words)
{
    uint32_t any = 0;

    for (size_t i = 0; i < BLOCK_TOKENS / 32; i++)
        any |= words[i];
    return any == 0;
}

/* Where the blocks end that are read where they stand, from this one on. */
static size_t plain_end(const struct row_view *view, size_t block)
{
    size_t whole = view->tokens / BLOCK_TOKENS;

    if (view->type != TESSERA_FLOAT32 || view->mask)
        return block;
    if (!view->edited)
        return whole;
    while (block < whole && view->blocks.first_edit[block] < 0)
        block++;
    return block;
}

const float *view_block(const struct row_view *view, size_t block,
                        float *buffer)
{
    const float *x;

    if (view->mask) {
        uint32_t filled[BLOCK_TOKENS / 32];
        const uint32_t *words = mask_words(view, block, filled);

        if (all_zero(words)) {
            for (size_t i = 0; i < BLOCK_TOKENS; i++)
                buffer[i] = -INFINITY;
        } else {
            view->loops->mask(read_block(view, block, buffer), words, buffer);
        }
        x = buffer;
    } else {
        x = read_block(view, block, buffer);
    }
    if (view->blocks.odd[block]) {
        view->loops->settle(x, buffer);
        x = buffer;
    }
    if (view->edited && view->blocks.first_edit[block] >= 0) {
        if (x != buffer)
            memcpy(buffer, x, BLOCK_TOKENS * sizeof(*buffer));
        x = buffer;
        for (int32_t i = view->blocks.first_edit[block]; i >= 0;
             i = view->edited[i].next)
            buffer[view->edited[i].token % BLOCK_TOKENS] = view->edited[i].x;
    }
    return x;
}

/* NaN and what is above FLT_MAX: put right from now on. */
static void settle_peaks(struct row_view *view)
{
    float *peak = view->blocks.peak;

    for (size_t block = 0; block < view->block_count; block++) {
        view->nan = view->nan || view->blocks.odd[block];
        if (peak[block] > FLT_MAX) {
            view->blocks.odd[block] = 1;
            peak[block] = FLT_MAX;
        }
    }
    view->m = view->m > FLT_MAX ? FLT_MAX : view->m;
}

void view_find_peaks(struct row_view *view, float *buffer)
{
    float *peak = view->blocks.peak;
    uint8_t *odd = view->blocks.odd;
    bool nan = false;
    size_t block = 0;

    memset(odd, 0, view->block_count);
    while (block < view->block_count) {
        const float *x;
        size_t end = plain_end(view, block);

        if (end > block) {
            x = (const float *)view->logits + block * BLOCK_TOKENS;
        } else {
            x = view_block(view, block, buffer);
            end = block + 1;
        }
        struct peak_sum sum =
            view->loops->peaks(x, end - block, peak + block, odd + block);
        view->m = sum.m > view->m ? sum.m : view->m;
        nan = nan || sum.nan;
        block = end;
    }
    if (nan || view->m > FLT_MAX)
        settle_peaks(view);
    view->m = view->m + 0.0f; /* -0 becomes +0 */
}
