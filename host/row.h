/*
 * row.h - one row on its way from logits to a token
 *
 * The stages in host/stages pass this along in the contract's order.  Tokens
 * leave it in two ways: an edit that makes a logit -inf takes the token out,
 * and a filter shortens the kept prefix of the ranked tokens.
 */

#ifndef TESSERA_ROW_H
#define TESSERA_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Products of a sum of weights (at most 2^62) with 32 or 64 bits more. */
__extension__ typedef unsigned __int128 tessera_uint128;

/* A weight in units of 2^-40 of the best token's: 2^40 is the best's own. */
#define TESSERA_WEIGHT_ONE (UINT64_C(1) << 40)

struct tessera_ranked {
    float x; /* the logit after all edits */
    int32_t token;
    uint64_t weight;
};

struct tessera_row {
    int32_t vocab;

    /* A NaN stood at a token that mask and bans left in. */
    bool nan;

    /* [vocab]: logits as edited so far; -inf is out. */
    float *x;

    /* [vocab]: of the kept tokens with ids up to each, the sum of weights. */
    uint64_t *weight_up_to;

    /* The tokens that are in, in the contract's order (x descending, then id
     * ascending), 'in' of them, with the first 'kept' kept by the filters. */
    struct tessera_ranked *ranked;
    size_t in;
    size_t kept;

    /* Room for vocab struct tessera_ranked, for a stage to work in as it likes;
     * nothing in it survives a stage. */
    void *scratch;
};

#endif
