/*
 * bench_cases.c - what is measured: requests, and the logits they meet
 *
 * Of 128,256 normal logits, top_p 0.95 keeps about 11,000 at deviation 3 and
 * 95,000 at deviation 1, the worst it can meet; with five peaks it keeps one or
 * two, as on most rows of a chat.
 */

#include "bench_cases.h"

#include <string.h>

#define REQUEST(temperature, top_k, top_p, min_p)                              \
    {                                                                          \
        1.0f, 0.0f, 0.0f, -1, 0, temperature, top_k, top_p, min_p, 0, 0, 0     \
    }
#define PENALIZED(temperature, top_k, top_p, min_p)                            \
    {                                                                          \
        1.1f, 0.1f, 0.1f, -1, 0, temperature, top_k, top_p, min_p, 0, 0, 0     \
    }

static const struct bench_case cases[] = {
    {.name = "greedy",
     .params = REQUEST(0.0f, 0, 1.0f, 0.0f),
     .deviation = 3,
     .quick = true},
    {.name = "temperature",
     .params = REQUEST(0.8f, 0, 1.0f, 0.0f),
     .deviation = 3,
     .every_weight = true,
     .quick = true},
    {.name = "top_k40",
     .params = REQUEST(1.0f, 40, 1.0f, 0.0f),
     .deviation = 3},
    {.name = "min_p05",
     .params = REQUEST(1.0f, 0, 1.0f, 0.05f),
     .deviation = 3},
    {.name = "top_k40+top_p95+min_p05",
     .params = REQUEST(0.8f, 40, 0.95f, 0.05f),
     .deviation = 3,
     .quick = true},
    {.name = "top_k40+top_p95+min_p05+penalties64",
     .params = PENALIZED(0.8f, 40, 0.95f, 0.05f),
     .deviation = 3,
     .history = 64},
    {.name = "top_k40+top_p95+min_p05+penalties1024",
     .params = PENALIZED(0.8f, 40, 0.95f, 0.05f),
     .deviation = 3,
     .history = 1024},
    {.name = "mask10",
     .params = REQUEST(1.0f, 0, 1.0f, 0.0f),
     .deviation = 3,
     .masked = true},
    {.name = "top_p95_flat",
     .params = REQUEST(1.0f, 0, 0.95f, 0.0f),
     .deviation = 1,
     .every_weight = true},
    {.name = "top_p95",
     .params = REQUEST(1.0f, 0, 0.95f, 0.0f),
     .deviation = 3,
     .every_weight = true,
     .quick = true},
    {.name = "top_p95_peaked",
     .params = REQUEST(1.0f, 0, 0.95f, 0.0f),
     .deviation = 3,
     .peaked = true,
     .every_weight = true},
    {.name = "real",
     .params = REQUEST(0.8f, 40, 0.95f, 0.05f),
     .recorded = true,
     .quick = true},
    {.name = "logprobs5",
     .params = REQUEST(1.0f, 0, 1.0f, 0.0f),
     .deviation = 3,
     .top_n = 5,
     .every_weight = true},
};

const struct bench_case *bench_case(size_t index)
{
    return index < sizeof(cases) / sizeof(cases[0]) ? &cases[index] : NULL;
}

const struct bench_case *bench_case_named(const char *name)
{
    const struct bench_case *found;

    for (size_t i = 0; (found = bench_case(i)); i++)
        if (strcmp(found->name, name) == 0)
            return found;
    return NULL;
}
