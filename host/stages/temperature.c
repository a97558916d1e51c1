/*
 * temperature.c - how far from the best logit a token may be
 *
 * A token's probability is proportional to exp((x - m) / T), m the best logit.
 * In powers of two that is 2^((x - m) * c) with c = log2(e) / T: the only way
 * the temperature enters.  A low T spreads logits apart and favours the best,
 * a high one levels them.
 *
 * At T = 0 the quotient means nothing.  Below 1e-5 a row is therefore greedy
 * by rule: its best token, with nothing drawn.
 */

#include "stages.h"

#include <string.h>

bool tessera_is_greedy(float temperature)
{
    uint32_t bits = 0x3727C5AC; /* 1e-5 rounded to binary32 */
    float threshold;

    memcpy(&threshold, &bits, sizeof(threshold));
    return temperature < threshold;
}

struct tessera_scale tessera_temperature(float temperature)
{
    struct tessera_scale scale;

    /* log2(e), divided in binary64 and rounded once more to binary32. */
    scale.c = (float)(0x1.71547652b82fep+0 / (double)temperature);

    /* Weights are 0 from d * c = -40 on; -48 leaves room for rounding and
     * keeps the shift in weight.c below 64. */
    scale.dmin = -48.0f / scale.c;
    return scale;
}
