/*
 * rows.c - what is asked of single rows, beside their logits
 */

#include "rows.h"

#include <math.h>
#include <stdio.h>

void row_lists_free(struct row_lists *lists)
{
    free(lists->tokens.items);
    free(lists->biases.items);
    free(lists->bans.items);
    *lists = (struct row_lists)ROW_LISTS_INIT(0);
}

int32_t *row_tokens(const struct row_lists *lists, struct span span)
{
    return span.count > 0 ? (int32_t *)lists->tokens.items + span.first : NULL;
}

struct tessera_bias *row_biases(const struct row_lists *lists, struct span span)
{
    return span.count > 0
               ? (struct tessera_bias *)lists->biases.items + span.first
               : NULL;
}

int32_t *row_bans(const struct row_lists *lists, struct span span)
{
    return span.count > 0 ? (int32_t *)lists->bans.items + span.first : NULL;
}

bool bias_value(double number, float *value)
{
    *value = (float)number;
    return isfinite(*value) || number == -INFINITY;
}

static int check_token(int32_t token, int32_t vocab, char *message,
                       size_t message_size)
{
    if (token >= 0 && token < vocab)
        return 0;
    snprintf(message, message_size, "names token %d; its range is 0 .. %d",
             (int)token, (int)vocab - 1);
    return -1;
}

static int by_token(const void *a, const void *b)
{
    int32_t left = ((const struct tessera_bias *)a)->token;
    int32_t right = ((const struct tessera_bias *)b)->token;

    return (left > right) - (left < right);
}

int row_settle_biases(const struct row_lists *lists, struct span span,
                      char *message, size_t message_size)
{
    struct tessera_bias *biases = row_biases(lists, span);

    for (size_t i = 0; i < span.count; i++)
        if (check_token(biases[i].token, lists->vocab, message, message_size))
            return -1;
    if (span.count > 1)
        qsort(biases, span.count, sizeof(*biases), by_token);
    for (size_t i = 1; i < span.count; i++) {
        if (biases[i].token == biases[i - 1].token) {
            snprintf(message, message_size,
                     "names token %d twice; each token may stand once",
                     (int)biases[i].token);
            return -1;
        }
    }
    return 0;
}

int row_check_bans(const struct row_lists *lists, struct span span,
                   char *message, size_t message_size)
{
    const int32_t *bans = row_bans(lists, span);

    for (size_t i = 0; i < span.count; i++)
        if (check_token(bans[i], lists->vocab, message, message_size))
            return -1;
    return 0;
}
