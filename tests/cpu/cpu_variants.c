/*
 * cpu_variants.c - how the CPU backend goes about it is the machine's and the
 * environment's choice, and the same operations in each
 */

#include "against_reference.h"
#include "floats.h"
#include "random_rows.h"

#include "../../host/cpu/fma.h"
#include "../../host/cpu/variants.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum tessera_status create(struct tessera_sampler **sampler)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;

    config.device = TESSERA_DEVICE_CPU;
    config.vocab = 100;
    return tessera_create(&config, sampler);
}

Test(cpu_variants, each_one_that_runs_can_be_named)
{
    struct tessera_sampler *sampler;
    size_t count = 0;

    for (; variant_name(count); count++) {
        setenv("TESSERA_CPU_VARIANT", variant_name(count), 1);
        cr_assert(create(&sampler) == TESSERA_OK);
        tessera_free(sampler);
    }
    cr_assert(count > 0);
    setenv("TESSERA_CPU_VARIANT", "", 1);
    cr_assert(create(&sampler) == TESSERA_OK);
    tessera_free(sampler);
    unsetenv("TESSERA_CPU_VARIANT");
}

Test(cpu_variants, a_name_that_is_none_is_an_error_that_lists_them)
{
    struct tessera_sampler *sampler = NULL;

    setenv("TESSERA_CPU_VARIANT", "x86-64-v5", 1);
    cr_assert(create(&sampler) == TESSERA_UNAVAILABLE);
    cr_assert(sampler == NULL);
    cr_assert(strncmp(tessera_last_error(),
                      "TESSERA_CPU_VARIANT is x86-64-v5; this machine runs ",
                      52) == 0,
              "%s", tessera_last_error());
    for (size_t i = 0; variant_name(i); i++)
        cr_assert(strstr(tessera_last_error(), variant_name(i)) != NULL);
    unsetenv("TESSERA_CPU_VARIANT");
}

Test(cpu_variants, the_workspace_grows_with_rows_threads_and_limit)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_sampler *sampler;
    size_t bytes[3];

    config.device = TESSERA_DEVICE_CPU;
    config.vocab = 1000;
    config.threads = 3;
    config.max_history = 0;
    cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
    for (int32_t rows = 1; rows <= 3; rows++)
        bytes[rows - 1] = tessera_workspace_bytes(sampler, rows);
    cr_assert(tessera_workspace_bytes(sampler, 0) == bytes[0]);
    cr_assert(tessera_workspace_bytes(sampler, 4000) >= bytes[2]);
    cr_assert(bytes[1] - bytes[0] == bytes[2] - bytes[1]);
#ifdef _OPENMP
    cr_assert(bytes[1] > bytes[0]);
    cr_assert(tessera_workspace_bytes(sampler, 4000) == bytes[2]);
#endif
    tessera_free(sampler);

    /* Room for two, for a byte less, and for less than one. */
    for (size_t short_of = 0; short_of < 2; short_of++) {
        config.workspace_limit = bytes[1] - short_of;
        cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
        cr_assert(tessera_workspace_bytes(sampler, 3) == bytes[1 - short_of]);
        tessera_free(sampler);
    }
    config.workspace_limit = 1;
    cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
    cr_assert(tessera_workspace_bytes(sampler, 3) == bytes[0]);
    tessera_free(sampler);
}

/* Among them what rounds twice when the sum is rounded to binary64 first: c
 * next to a tie between two floats, and a product that decides it. */
Test(cpu_variants, the_software_fma_rounds_once)
{
    struct random random = {1};

    for (int i = 0; i < 2000000; i++) {
        uint64_t bits = random_next(&random);
        float a = float_of_bits(0x3f800000 | ((uint32_t)bits & 0x807fffff));
        float b = float_of_bits(0x3f800000 | (bits >> 32 & 0x7fffff));
        float c = random_between(&random, -4, 4);

        if (i % 2 == 0) {
            a = ldexpf(a, (int)random_below(&random, 80) - 60);
            c = ldexpf(c, (int)random_below(&random, 40) - 20);
        }
        if (i % 8 == 0)
            b = 1.0f + 0x1p-23f * (float)random_below(&random, 4);
        cr_assert(bits_of_float(tessera_software_fma(a, b, c)) ==
                      bits_of_float(fmaf(a, b, c)),
                  "fma(%a, %a, %a)", (double)a, (double)b, (double)c);
    }
    /* 2^24 + 1 is a tie; 2^-40 more decides it, and binary64 drops that. */
    cr_assert(tessera_software_fma(0x1p-40f, 1, 0x1p24f) == 0x1p24f);
    cr_assert(tessera_software_fma(0x1.000002p12f, 0x1.000002p-12f, 0x1p-24f) ==
              fmaf(0x1.000002p12f, 0x1.000002p-12f, 0x1p-24f));
}

/* Of every binary16 and bfloat16 but NaN, whose bits are nobody's concern. */
Test(cpu_variants, every_16_bit_logit_is_widened_exactly)
{
    for (size_t i = 0; variant_name(i); i++) {
        const struct cpu_loops *loops = tessera_cpu_variant_at(i);

        for (uint32_t first = 0; first < 65536; first += BLOCK_TOKENS) {
            uint16_t from[BLOCK_TOKENS];
            float half[BLOCK_TOKENS];
            float brain[BLOCK_TOKENS];

            for (uint32_t j = 0; j < BLOCK_TOKENS; j++)
                from[j] = (uint16_t)(first + j);
            loops->widen_float16(from, half);
            loops->widen_bfloat16(from, brain);
            for (size_t j = 0; j < BLOCK_TOKENS; j++) {
                float wanted = tessera_widen(from, TESSERA_FLOAT16, j);

                cr_assert(isnan(wanted)
                              ? isnan(half[j])
                              : bits_of_float(half[j]) == bits_of_float(wanted),
                          "%s: binary16 %04x", loops->name, from[j]);
                wanted = tessera_widen(from, TESSERA_BFLOAT16, j);
                cr_assert(bits_of_float(brain[j]) == bits_of_float(wanted),
                          "%s: bfloat16 %04x", loops->name, from[j]);
            }
        }
    }
}

/* At each of the scales that temperatures give, from the best token down to
 * where nothing weighs, and beyond. */
Test(cpu_variants, every_loop_weighs_as_the_stage_does)
{
    static const float temperatures[] = {1e-5f, 0.01f, 0.7f, 1, 2, 1000, 1e6f};
    struct random random = {2};

    for (size_t i = 0; variant_name(i); i++) {
        const struct cpu_loops *loops = tessera_cpu_variant_at(i);

        for (size_t t = 0; t < 7 * 200; t++) {
            struct weighing weighing = {
                random_between(&random, -30, 30),
                tessera_temperature(temperatures[t % 7])};
            float reach = -50 / weighing.scale.c;
            float x[BLOCK_TOKENS];
            uint64_t weights[BLOCK_TOKENS];

            for (size_t j = 0; j < BLOCK_TOKENS; j++)
                x[j] = j % 64 == 9 ? -INFINITY
                       : j % 64 == 3
                           ? weighing.m
                           : weighing.m + random_between(&random, reach, 0);
            loops->weights(x, &weighing, weights);
            for (size_t j = 0; j < BLOCK_TOKENS; j++)
                cr_assert(weights[j] ==
                              tessera_weight(x[j] - weighing.m, weighing.scale),
                          "%s: T %a, x - m %a", loops->name,
                          (double)temperatures[t % 7],
                          (double)(x[j] - weighing.m));
        }
    }
}
