/*
 * sample_lists.c - a call of tessera_sample() made of bytes: history and edits
 *
 * The library cannot know where a list of the caller's ends.  So an offset
 * that is out of order here is one that no row may follow.
 */

#include "sample_call.h"

#include <math.h>

enum { MOST_TOKENS = 40 };

/* Around the vocabulary's ends, most often in it. */
static int32_t take_token(struct bytes *bytes, int32_t vocab)
{
    static const int32_t outside[] = {-1, INT32_MIN, INT32_MAX};
    uint32_t byte = take_below(bytes, 256);

    if (byte < 240)
        return (int32_t)byte % vocab;
    return byte < 248 ? vocab : outside[byte % 3];
}

/* A place in 'count' entries, or now and then a wrong one. */
static void take_place(struct bytes *bytes, uint32_t count, int64_t *offset,
                       int64_t *length)
{
    *offset = take_below(bytes, count + 1);
    *length = take_below(bytes, count - (uint32_t)*offset + 1);
    if (!take_once_in(bytes, 48))
        return;
    switch (take_below(bytes, 6)) {
    case 0:
        *offset = -1;
        break;
    case 1:
        *offset = INT64_MIN;
        break;
    case 2:
        *length = -1;
        break;
    case 3:
        *length = INT64_MIN;
        break;
    case 4:
        *length = INT64_MAX; /* more than max_history */
        break;
    default: /* nothing is read */
        *offset = INT64_MAX;
        *length = 0;
        break;
    }
}

void history_of_bytes(struct bytes *bytes, struct sample_call *call,
                      struct tessera_history *history)
{
    size_t rows = (size_t)call->batch.rows;
    uint32_t kind = take_below(bytes, 8);
    uint32_t count = take_below(bytes, MOST_TOKENS);

    if (kind < 2) /* no history */
        return;
    int64_t *offsets = new_array(call, rows * sizeof(*offsets), 8);
    int64_t *lengths = new_array(call, rows * sizeof(*lengths), 8);
    for (size_t row = 0; row < rows; row++)
        take_place(bytes, count, &offsets[row], &lengths[row]);
    history->offsets = offsets;
    if (kind == 2) /* empty in every row */
        return;
    history->lengths = lengths;
    if (kind == 3) /* rows with a length are invalid */
        return;

    int32_t *tokens = new_array(call, count * sizeof(*tokens), 4);
    for (uint32_t i = 0; i < count; i++)
        tokens[i] = take_token(bytes, call->config.vocab);
    history->tokens = tokens;
}

/* Now and then an offset is another one.  A row between a wrong one and its
 * neighbours is invalid or empty. */
static void spoil_offsets(struct bytes *bytes, int64_t *offsets, size_t count)
{
    static const int64_t wrong[] = {-1, INT64_MIN, INT64_MAX};
    int64_t total = offsets[count - 1];

    for (size_t i = 0; i < count; i++)
        if (take_once_in(bytes, 32))
            offsets[i] = take_below(bytes, 2)
                             ? take_below(bytes, (uint32_t)total + 1)
                             : wrong[take_below(bytes, 3)];
}

/* How many entries each row has, as offsets; their sum is the last. */
static int64_t *take_offsets(struct bytes *bytes, struct sample_call *call)
{
    size_t rows = (size_t)call->batch.rows;
    int64_t *offsets = new_array(call, (rows + 1) * sizeof(*offsets), 8);

    offsets[0] = 0;
    for (size_t row = 0; row < rows; row++) {
        uint32_t count = take_below(bytes, 8);

        offsets[row + 1] = offsets[row] + (count < 3 ? 0 : count - 2);
    }
    return offsets;
}

static float take_bias_value(struct bytes *bytes)
{
    static const float special[] = {-INFINITY, INFINITY, NAN,  0,
                                    -0.0f,     0x1p127f, 1e6f, -0x1p127f};
    uint32_t kind = take_below(bytes, 16);

    if (kind == 15)
        return take_float_bits(bytes);
    if (kind >= 13)
        return special[take_below(bytes, 8)];
    if (kind >= 11)
        return -INFINITY;
    return (float)take_below(bytes, 64) / 4 - 8;
}

static void biases_of_bytes(struct bytes *bytes, struct sample_call *call)
{
    size_t rows = (size_t)call->batch.rows;
    int64_t *offsets = take_offsets(bytes, call);
    size_t total = (size_t)offsets[rows];
    struct tessera_bias *biases = new_array(call, total * sizeof(*biases), 4);

    for (size_t row = 0; row < rows; row++) {
        int32_t token = -1;

        for (int64_t i = offsets[row]; i < offsets[row + 1]; i++) {
            /* Ascending, while there are tokens left. */
            token += 1 + (int32_t)take_below(bytes, 4);
            if (take_once_in(bytes, 64))
                token = take_token(bytes, call->config.vocab);
            biases[i] = (struct tessera_bias){token, take_bias_value(bytes)};
            token = token < 0 || token > MOST_VOCAB ? 0 : token;
        }
    }
    spoil_offsets(bytes, offsets, rows + 1);
    call->batch.bias_offsets = offsets;
    if (!take_once_in(bytes, 32)) /* NULL: rows with entries are invalid */
        call->batch.biases = biases;
}

static void bans_of_bytes(struct bytes *bytes, struct sample_call *call)
{
    size_t rows = (size_t)call->batch.rows;
    int64_t *offsets = take_offsets(bytes, call);
    size_t total = (size_t)offsets[rows];
    int32_t *bans = new_array(call, total * sizeof(*bans), 4);

    for (size_t i = 0; i < total; i++)
        bans[i] = (int32_t)take_below(bytes, 128) % call->config.vocab;
    if (total > 0 && take_once_in(bytes, 8))
        bans[take_below(bytes, (uint32_t)total)] =
            take_token(bytes, call->config.vocab);
    spoil_offsets(bytes, offsets, rows + 1);
    call->batch.ban_offsets = offsets;
    if (!take_once_in(bytes, 32))
        call->batch.bans = bans;
}

void edits_of_bytes(struct bytes *bytes, struct sample_call *call)
{
    if (take_below(bytes, 2))
        biases_of_bytes(bytes, call);
    if (take_below(bytes, 2))
        bans_of_bytes(bytes, call);
}
