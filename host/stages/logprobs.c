/*
 * logprobs.c - natural log-probabilities, to the bit
 *
 * ln(w / sum) is (x - m) / T - ln(sum / 2^40), from the logit itself and not
 * from the weight, whose last bits are rounded.  The logarithm is a fixed list
 * of binary64 operations, since no two math libraries agree on log().
 *
 * Processed log-probabilities are of the row as drawn; raw ones of the row as
 * given, at T = 1.
 */

#include "stages.h"

#include <math.h>

double tessera_log_sum(uint64_t sum)
{
    /* sum = f * 2^e with f in [1, 2), then in (sqrt(1/2), sqrt(2)]. */
    int e = 63 - __builtin_clzll(sum);
    double f = ldexp((double)sum, -e);
    if (f > 0x1.6a09e667f3bcdp+0) {
        f = f / 2;
        e = e + 1;
    }

    /* ln f = 2 artanh((f - 1) / (f + 1)), its series in s^2. */
    double s = (f - 1) / (f + 1);
    double z = s * s;
    double r = 1.0 / 13;
    r = fma(r, z, 1.0 / 11);
    r = fma(r, z, 1.0 / 9);
    r = fma(r, z, 1.0 / 7);
    r = fma(r, z, 1.0 / 5);
    r = fma(r, z, 1.0 / 3);
    r = fma(r, z, 1.0);
    return fma((double)(e - 40), 0x1.62e42fefa39efp-1, (2 * s) * r);
}

float tessera_logprob(float x, float m, float temperature, double log_sum)
{
    return (float)((double)(x - m) / (double)temperature - log_sum);
}

int32_t tessera_rank(const struct tessera_row *row, int32_t token)
{
    size_t i = 0;

    while (row->ranked[i].token != token)
        i++;
    return (int32_t)i + 1;
}
