/*
 * temperature.c - the scale of a row, and when it is greedy
 */

#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(temperature, is_greedy_below_the_float_next_to_1e_minus_5)
{
    cr_assert(tessera_is_greedy(0.0f));
    cr_assert(tessera_is_greedy(-0.0f));
    cr_assert(tessera_is_greedy(float_of(0x3727c5ab)));
    cr_assert(not(tessera_is_greedy(float_of(0x3727c5ac))));
    cr_assert(not(tessera_is_greedy(1.0f)));
}

/* The contract's known answers. */
Test(temperature, divides_log2_e_in_binary64_and_rounds_once)
{
    cr_assert(tessera_temperature(1.0f).c == 0x1.715476p+0f);
    cr_assert(tessera_temperature(0.7f).c == 0x1.07ce9ep+1f);
    cr_assert(tessera_temperature(2.0f).c == 0x1.715476p-1f);
    cr_assert(tessera_temperature(0x1.715476p+0f).c == 1.0f);
}

Test(temperature, bounds_distances_where_weights_have_long_been_0)
{
    cr_assert(tessera_temperature(0x1.715476p+0f).dmin == -48.0f);
    cr_assert(tessera_temperature(1.0f).dmin == -48.0f / 0x1.715476p+0f);
}
