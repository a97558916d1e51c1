/*
 * bias.c - add the request's bias to single logits
 *
 * A token that is out stays out: -inf + b is -inf.  A bias of -inf bans even
 * a token at +inf, where the sum would be a NaN.
 */

#include "edit.h"
#include "stages.h"

void tessera_bias(struct tessera_row *row, const struct tessera_bias *biases,
                  size_t bias_count)
{
    for (size_t i = 0; i < bias_count; i++) {
        float *x = &row->x[biases[i].token];

        *x = tessera_biased(*x, biases[i].value);
    }
}
