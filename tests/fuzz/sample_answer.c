/*
 * sample_answer.c - what a row of a call asks, and what it must answer
 *
 * The row is looked up in the batch as the header describes it, apart from the
 * library's own reading, and put to the oracle.
 */

#include "sample_call.h"

#include "../support/floats.h"
#include "fuzz.h"

#include <math.h>

static bool look_up_logits(const struct sample_call *call, int32_t row,
                           struct test_row *found)
{
    const struct tessera_batch *batch = &call->batch;
    int64_t index = batch->row_index ? batch->row_index[row] : row;
    int64_t element = batch->logits_type == TESSERA_FLOAT32 ? 4 : 2;

    if (index < 0 || index >= batch->logits_rows)
        return false;
    found->type = batch->logits_type;
    found->vocab = call->config.vocab;
    found->logits =
        (const char *)batch->logits + index * batch->logits_stride * element;
    return true;
}

static bool look_up_mask(const struct tessera_batch *batch, int32_t row,
                         struct test_row *found)
{
    int64_t index = batch->mask_index ? batch->mask_index[row] : row;

    found->mask = NULL;
    if (batch->mask_index ? index == -1 : !batch->masks)
        return true;
    if (index < 0 || index >= batch->mask_count)
        return false;
    found->mask = batch->masks + index * batch->mask_stride;
    return true;
}

static bool look_up_history(const struct tessera_history *history, int32_t row,
                            int64_t most, struct id_list *found)
{
    *found = (struct id_list){NULL, 0};
    if (!history->lengths)
        return true;
    int64_t length = history->lengths[row];
    if (history->offsets[row] < 0 || length < 0 || length > most)
        return false;
    if (length > 0 && !history->tokens)
        return false;
    if (length > 0)
        *found = (struct id_list){history->tokens + history->offsets[row],
                                  (size_t)length};
    return true;
}

/* How many entries of a list a row has, and from where; -1: it is invalid. */
static int64_t look_up_list(const void *list, const int64_t *offsets,
                            int32_t row, int64_t most, int64_t *first)
{
    *first = 0;
    if (!offsets)
        return 0;
    *first = offsets[row];
    if (*first < 0 || offsets[row + 1] < *first)
        return -1;
    int64_t count = offsets[row + 1] - *first;
    return count > most || (count > 0 && !list) ? -1 : count;
}

static bool look_up_edits(const struct tessera_batch *batch, int32_t row,
                          int64_t most, struct test_row *found)
{
    int64_t first;
    int64_t biases =
        look_up_list(batch->biases, batch->bias_offsets, row, most, &first);

    if (biases < 0)
        return false;
    if (biases > 0)
        found->bias = (struct bias_list){batch->biases + first, (size_t)biases};
    int64_t bans =
        look_up_list(batch->bans, batch->ban_offsets, row, most, &first);
    if (bans < 0 || bans + biases > most)
        return false;
    if (bans > 0)
        found->bans = (struct id_list){batch->bans + first, (size_t)bans};
    return true;
}

/* Params that are out of their range anyway may be found within bounds. */
static bool within_bounds(const struct tessera_batch *batch,
                          const struct tessera_params *p)
{
    if (batch->params_memory == TESSERA_MEMORY_HOST)
        return true;

    uint32_t stages = 0;
    if (p->repetition_penalty != 1 || p->frequency_penalty != 0 ||
        p->presence_penalty != 0)
        stages |= TESSERA_STAGE_PENALTIES;
    if (p->temperature >= float_of_bits(0x3727c5ac))
        stages |= TESSERA_STAGE_DRAW;
    if (p->top_k > 0)
        stages |= TESSERA_STAGE_TOP_K;
    if (p->top_p < 1)
        stages |= TESSERA_STAGE_TOP_P;
    if (p->min_p > 0)
        stages |= TESSERA_STAGE_MIN_P;
    return (stages | batch->stages) == batch->stages &&
           p->top_k <= batch->max_top_k;
}

bool look_up_row(const struct sample_call *call, int32_t row,
                 struct test_row *found)
{
    const struct tessera_batch *batch = &call->batch;
    int64_t most = call->config.max_history;

    *found = (struct test_row){.params = *params_of(batch, row)};
    found->maximum = batch->row_maxima ? batch->row_maxima[row] : NAN;
    return look_up_logits(call, row, found) &&
           look_up_mask(batch, row, found) &&
           look_up_history(&batch->prompt, row, most, &found->prompt) &&
           look_up_history(&batch->generated, row,
                           most - (int64_t)found->prompt.count,
                           &found->generated) &&
           look_up_edits(batch, row, call->config.max_edits, found) &&
           within_bounds(batch, &found->params);
}

struct row_result expected_answer(const struct sample_call *call, int32_t row)
{
    struct test_row asked;

    if (!look_up_row(call, row, &asked))
        asked.params.temperature = -1; /* as invalid as any */
    return oracle_answer(&asked, call->outputs.top_raw != 0);
}

#define CHECK(what, given, wanted)                                             \
    REQUIRE((given) == (wanted), "row %d: %s is %llx, not %llx", (int)row,     \
            what, (unsigned long long)(given), (unsigned long long)(wanted))

void check_row(const struct written *written, int32_t row,
               const struct row_result *expected)
{
    const struct tessera_outputs *outputs = &written->outputs;

    if (outputs->status)
        CHECK("status", outputs->status[row], expected->status);
    if (outputs->token)
        CHECK("token", outputs->token[row], expected->token);
    if (outputs->n_kept)
        CHECK("n_kept", outputs->n_kept[row], expected->n_kept);
    if (outputs->weight_sum)
        CHECK("weight_sum", outputs->weight_sum[row], expected->weight_sum);
    if (outputs->logprob)
        CHECK("logprob", bits_of_float(outputs->logprob[row]),
              expected->logprob);
    if (outputs->raw_logprob)
        CHECK("raw_logprob", bits_of_float(outputs->raw_logprob[row]),
              expected->raw_logprob);
    if (outputs->rank)
        CHECK("rank", outputs->rank[row], expected->rank);
    for (int32_t i = 0; i < outputs->top_n; i++) {
        int32_t at = row * outputs->top_n + i;

        if (outputs->top_tokens)
            CHECK("top_tokens", outputs->top_tokens[at],
                  expected->top_tokens[i]);
        if (outputs->top_logprobs)
            CHECK("top_logprobs", bits_of_float(outputs->top_logprobs[at]),
                  expected->top_logprobs[i]);
    }
}
