/*
 * rows.h - what is asked of single rows, beside their logits
 *
 * Rows that ask the same share the entries of their lists.
 */

#ifndef TESSERA_CLI_ROWS_H
#define TESSERA_CLI_ROWS_H

#include "list.h"

#include <tessera.h>

#include <stdbool.h>

/* Consecutive entries of a list. */
struct span {
    size_t first;
    size_t count;
};

struct row_request {
    struct tessera_params params;
    struct span history;   /* of row_lists.tokens */
    int64_t prompt_tokens; /* the first of the history */
    struct span biases;    /* of row_lists.biases; ids ascending, none twice */
    struct span bans;      /* of row_lists.bans */
};

struct row_lists {
    int32_t vocab;
    struct list tokens; /* int32_t; any value: see struct tessera_history */
    struct list biases; /* struct tessera_bias */
    struct list bans;   /* int32_t */
};

#define ROW_LISTS_INIT(vocab)                                                  \
    {                                                                          \
        (vocab), LIST_INIT(int32_t), LIST_INIT(struct tessera_bias),           \
            LIST_INIT(int32_t)                                                 \
    }

void row_lists_free(struct row_lists *lists);

int32_t *row_tokens(const struct row_lists *lists, struct span span);
struct tessera_bias *row_biases(const struct row_lists *lists,
                                struct span span);
int32_t *row_bans(const struct row_lists *lists, struct span span);

/* A bias as it is kept; false: neither finite in binary32 nor -inf. */
bool bias_value(double number, float *value);

/* Orders a row's biases by id.  0, or -1 with a message that follows the name
 * of the option or key: an id out of the vocabulary, or one there twice. */
int row_settle_biases(const struct row_lists *lists, struct span span,
                      char *message, size_t message_size);

/* Likewise for bans, whose ids may repeat. */
int row_check_bans(const struct row_lists *lists, struct span span,
                   char *message, size_t message_size);

#endif
