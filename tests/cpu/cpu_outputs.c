/*
 * cpu_outputs.c - what is not asked for changes nothing of what is
 */

#include "against_reference.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VOCAB = 5003, ROWS = 5 };

/* Leaves one output of a call, or with 'which' past the last, all. */
static void leave_one(struct tessera_outputs *outputs, int which)
{
    struct tessera_outputs all = *outputs;

    if (which >= 9)
        return;
    *outputs = (struct tessera_outputs)TESSERA_OUTPUTS_INIT;
    outputs->top_n = which >= 7 ? all.top_n : 0;
    outputs->top_raw = all.top_raw;
    outputs->token = which == 0 ? all.token : NULL;
    outputs->logprob = which == 1 ? all.logprob : NULL;
    outputs->raw_logprob = which == 2 ? all.raw_logprob : NULL;
    outputs->rank = which == 3 ? all.rank : NULL;
    outputs->n_kept = which == 4 ? all.n_kept : NULL;
    outputs->weight_sum = which == 5 ? all.weight_sum : NULL;
    outputs->status = which == 6 ? all.status : NULL;
    outputs->top_tokens = which == 7 ? all.top_tokens : NULL;
    outputs->top_logprobs = which == 8 ? all.top_logprobs : NULL;
}

static void answer(enum tessera_device device, const struct test_row *rows,
                   bool raw, int which, struct row_result *results)
{
    const struct backend backend = {device, "either"};
    const struct layout layout = {.top_raw = raw};
    struct call call;

    call_build(&call, &backend, rows, ROWS, &layout, NULL);
    leave_one(&call.outputs, which);
    cr_assert(call_run(&call) == TESSERA_OK, "%s", tessera_last_error());
    for (size_t row = 0; row < ROWS; row++)
        results[row] = call_result(&call, row);
    call_free(&call);
}

/* One is invalid, one empty; one has a NaN at a token that is edited, one at a
 * token that a bias bans as well. */
Test(cpu_outputs, each_alone_is_what_it_is_among_all)
{
    struct random random = {5};
    float logits[VOCAB];
    float nothing[VOCAB];
    struct test_row rows[ROWS];
    struct row_result wanted[ROWS];
    struct row_result given[ROWS];

    for (int32_t token = 0; token < VOCAB; token++) {
        logits[token] = random_between(&random, -8, 8);
        nothing[token] = -INFINITY;
    }
    logits[3000] = NAN;
    for (size_t row = 0; row < ROWS; row++) {
        rows[row] = row_of(TESSERA_FLOAT32, VOCAB, logits);
        rows[row].params.top_p = 0.9f;
    }
    rows[0].params.top_p = 1.5f;
    rows[1].logits = nothing;
    rows[2].params.repetition_penalty = 1.5f;
    rows[2].generated = IDS(3000, 5, 5);
    rows[3].bias = BIASES({17, 3}, {3000, -INFINITY});
    rows[4].params.top_k = 20;
    for (int raw = 0; raw < 2; raw++) {
        for (int which = 0; which <= 9; which++) {
            answer(TESSERA_DEVICE_REFERENCE, rows, raw != 0, which, wanted);
            answer(TESSERA_DEVICE_CPU, rows, raw != 0, which, given);
            cr_assert(memcmp(given, wanted, sizeof(given)) == 0,
                      "output %d, lists %s", which, raw ? "raw" : "processed");
        }
    }
    cr_assert(wanted[2].status == TESSERA_ROW_NAN);
    cr_assert(wanted[3].status == TESSERA_ROW_NAN);
}
