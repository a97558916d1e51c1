/*
 * variants.c - which instruction set the loops use
 */

#define _GNU_SOURCE /* secure_getenv */

#include "variants.h"

#include "../error.h"

#include <stdio.h>
#include <stdlib.h>

extern const struct cpu_loops tessera_cpu_loops_plain;

static bool runs_always(void)
{
    return true;
}

#if defined(__x86_64__)
extern const struct cpu_loops tessera_cpu_loops_v4;
extern const struct cpu_loops tessera_cpu_loops_v3;

static bool runs_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}

static bool runs_v4(void)
{
    return runs_v3() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* The best first. */
static const struct variant {
    const struct cpu_loops *loops;
    bool (*runs)(void);
} variants[] = {
#if defined(__x86_64__)
    {&tessera_cpu_loops_v4, runs_v4},
    {&tessera_cpu_loops_v3, runs_v3},
#endif
    {&tessera_cpu_loops_plain, runs_always},
};

const struct cpu_loops *tessera_cpu_variant_at(size_t index)
{
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
        if (variants[i].runs() && index-- == 0)
            return variants[i].loops;
    return NULL;
}

enum tessera_status tessera_cpu_variant(const struct cpu_loops **loops)
{
    const char *wanted = secure_getenv("TESSERA_CPU_VARIANT");
    char names[80] = "";
    size_t length = 0;

    *loops = tessera_cpu_variant_at(0);
    if (!wanted || !*wanted)
        return TESSERA_OK;
    for (size_t i = 0; (*loops = tessera_cpu_variant_at(i)) != NULL; i++) {
        if (strcmp((*loops)->name, wanted) == 0)
            return TESSERA_OK;
        length += (size_t)snprintf(names + length, sizeof(names) - length,
                                   "%s%s", i > 0 ? ", " : "", (*loops)->name);
    }
    return tessera_fail(TESSERA_UNAVAILABLE,
                        "TESSERA_CPU_VARIANT is %.40s; this machine runs %s",
                        wanted, names);
}
