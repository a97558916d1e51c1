/*
 * weight.c - the weight is the contract's integer
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static uint64_t weight_at(float distance, float temperature)
{
    return tessera_weight(distance, tessera_temperature(temperature));
}

Test(weight, gives_the_known_answers)
{
    static const struct {
        float distance;
        uint64_t at_1, at_0_7, at_2;
    } known[] = {
        {0.0f, 1099511627776, 1099511627776, 1099511627776},
        {-0.5f, 666887258112, 538256736256, 856300453888},
        {-2.5f, 90253443072, 30913495040, 315015364608},
        {-10.0f, 49917760, 687056, 7408449536},
        {-20.0f, 2266, 0, 49917760},
        {-1000.0f, 0, 0, 0},
    };

    for (size_t i = 0; i < COUNT_OF(known); i++) {
        cr_assert(eq(u64, weight_at(known[i].distance, 1.0f), known[i].at_1));
        cr_assert(eq(u64, weight_at(known[i].distance, 0.7f), known[i].at_0_7));
        cr_assert(eq(u64, weight_at(known[i].distance, 2.0f), known[i].at_2));
    }
}

/* Every fraction that the polynomial is asked for, d * c = 0 .. -1 in steps of
 * 2^-20, as one number, computed with exact fractions. */
Test(weight, has_every_bit_of_the_contracts_polynomial)
{
    const struct tessera_scale scale = {.c = 1.0f, .dmin = -48.0f};
    uint64_t hash = 0;

    for (int step = 0; step <= 1 << 20; step++)
        hash = hash * 0x100000001b3 +
               tessera_weight((float)-step * 0x1p-20f, scale);
    cr_assert(eq(u64, hash, 0x396c6af512e0000));
}

Test(weight, of_a_whole_number_of_octaves_is_a_power_of_two)
{
    struct tessera_scale scale = tessera_temperature(0x1.715476p+0f);

    for (int octaves = 0; octaves <= 40; octaves++)
        cr_assert(eq(u64, tessera_weight((float)-octaves, scale),
                     UINT64_C(1) << (40 - octaves)));
    cr_assert(eq(u64, tessera_weight(-41.0f, scale), 0));
}

/* Walks distances at a temperature in steps of a few ulps, from the best token
 * down to where weights are 0. */
static void never_rises(float temperature, float step)
{
    struct tessera_scale scale = tessera_temperature(temperature);
    uint64_t above = TESSERA_WEIGHT_ONE;

    for (float d = -0x1p-30f; d > 1.05f * scale.dmin; d *= step) {
        uint64_t weight = tessera_weight(d, scale);

        cr_assert(weight <= above, "T %a, d %a", (double)temperature,
                  (double)d);
        above = weight;

        double exact = ldexp(exp2((double)d * (double)scale.c), 40);
        cr_assert(fabs((double)weight - exact) < 1 + 6.2e-7 * (double)weight,
                  "T %a, d %a: %" PRIu64, (double)temperature, (double)d,
                  weight);
        if ((double)d * (double)scale.c < -40 - 0x1p-21)
            cr_assert(eq(u64, weight, 0));
        else
            cr_assert(ne(u64, weight, 0));
    }
}

Test(weight, never_rises_as_logits_fall_at_any_temperature)
{
    static const float temperatures[] = {1e-5f, 1e-3f,  0.1f,      0.5f,
                                         0.7f,  1.0f,   1.442695f, 2.0f,
                                         3.3f,  100.0f, 1e6f};

    for (size_t i = 0; i < COUNT_OF(temperatures); i++)
        never_rises(temperatures[i], 1.0001f);
}

/* Every float that can be a distance: minutes, so only when asked for. */
Test(weight, never_rises_over_the_whole_range)
{
    if (!getenv("TESSERA_SLOW_TESTS"))
        cr_skip("set TESSERA_SLOW_TESTS=1 to run it");

    struct tessera_scale scale = tessera_temperature(1.0f);
    uint64_t above = TESSERA_WEIGHT_ONE;
    uint32_t last = bits_of(-1.01f * scale.dmin);
    for (uint32_t bits = 0; bits <= last; bits++) {
        uint64_t weight = tessera_weight(-float_of(bits), scale);

        cr_assert(weight <= above, "distance bits %08x", bits);
        above = weight;
    }
    cr_assert(eq(u64, above, 0));
}

Test(weight, measures_every_token_from_the_first)
{
    struct tessera_row row = LOGITS(1, 3, -INFINITY, 2.5f);

    tessera_order(&row);
    tessera_weigh(&row, tessera_temperature(1.0f));
    cr_assert(eq(u64, row.ranked[0].weight, TESSERA_WEIGHT_ONE));
    cr_assert(eq(u64, row.ranked[1].weight, 666887258112));
    cr_assert(eq(u64, row.ranked[2].weight, weight_at(-2.0f, 1.0f)));
}

/* -FLT_MAX - FLT_MAX is -inf, which is no distance to compute with. */
Test(weight, of_a_distance_that_overflows_is_0)
{
    cr_assert(eq(u64, weight_at(-INFINITY, 1.0f), 0));
    cr_assert(eq(u64, weight_at(-INFINITY, 1e6f), 0));
}
