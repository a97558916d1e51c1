/*
 * logits.c - widening is exact
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

/* Against the definition of binary16, for each of its values. */
Test(logits, widens_every_binary16_exactly)
{
    for (uint32_t bits = 0; bits < 65536; bits++) {
        uint16_t half = (uint16_t)bits;
        int exponent = half >> 10 & 0x1f;
        int fraction = half & 0x3ff;
        float value = tessera_widen(&half, TESSERA_FLOAT16, 0);

        if (exponent == 31 && fraction != 0) {
            cr_assert(isnan(value), "bits %04x", bits);
            continue;
        }
        double expected = exponent == 31 ? INFINITY
                          : exponent == 0
                              ? ldexp(fraction, -24)
                              : ldexp(1024 + fraction, exponent - 25);
        if (half & 0x8000)
            expected = -expected;
        cr_assert(bits_of(value) == bits_of((float)expected), "bits %04x",
                  bits);
    }
}

/* A bfloat16 is the upper half of a binary32. */
Test(logits, widens_every_bfloat16_exactly)
{
    for (uint32_t bits = 0; bits < 65536; bits++) {
        uint16_t brain = (uint16_t)bits;
        float value = tessera_widen(&brain, TESSERA_BFLOAT16, 0);

        if (isnan(value))
            cr_assert(bits << 17 > 0xff000000, "bits %04x", bits);
        else
            cr_assert(bits_of(value) == bits << 16, "bits %04x", bits);
    }
}

Test(logits, reads_vocab_elements_and_no_more)
{
    uint16_t halves[3] = {0x3c00, 0x0001, 0xfbff};
    struct tessera_row row = LOGITS(0, 0, 0);

    tessera_logits(&row, halves, TESSERA_FLOAT16);
    cr_assert(row.x[0] == 1.0f);
    cr_assert(row.x[1] == 0x1p-24f);
    cr_assert(row.x[2] == -65504.0f);
}
