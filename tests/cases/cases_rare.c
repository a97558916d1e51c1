/*
 * cases_rare.c - rare tokens are drawn as often as they should be
 *
 * RNG-05, vllm#45996 and vllm#43150: noise from 24 or 31 random bits has no
 * far tail, so rare tokens never appeared.
 */

#include "case_check.h"
#include "oracle.h"

#include <criterion/criterion.h>

#include <stdlib.h>

enum { DRAWS = 100000, BATCH = 4096 };

/* One peak at id 0, of weight ONE, and 'vocab' - 1 rare tokens. */
struct rare_row {
    int32_t vocab;
    float peak;
    uint64_t weight, weight_sum; /* of a rare token, of all */
};

static int32_t token_at(const struct rare_row *row, size_t step)
{
    uint64_t target = scaled(oracle_random(42, 0, step), row->weight_sum);

    return target < ONE ? 0 : 1 + (int32_t)((target - ONE) / row->weight);
}

/* Of steps 0 to DRAWS - 1, those that draw a rare token, which are
 * 'rare_draws', and the first of the others, BATCH in all. */
static void choose_steps(const struct rare_row *row, size_t rare_draws,
                         size_t steps[BATCH])
{
    size_t count = 0;

    for (size_t step = 0; step < DRAWS; step++)
        if (token_at(row, step) != 0 && count < BATCH)
            steps[count++] = step;
    cr_assert(count == rare_draws, "%zu rare draws", count);
    for (size_t step = 0; count < BATCH; step++)
        if (token_at(row, step) == 0)
            steps[count++] = step;
}

static void expect_rare(const struct rare_row *row, size_t rare_draws,
                        size_t first_step, int32_t first_token)
{
    float *logits = calloc((size_t)row->vocab, sizeof(*logits));
    struct test_row *rows = malloc(BATCH * sizeof(*rows));
    size_t steps[BATCH];
    const struct layout layout = {.shared = true};

    logits[0] = row->peak;
    cr_assert(ONE + (uint64_t)(row->vocab - 1) * row->weight ==
              row->weight_sum);
    for (size_t i = 0; i < BATCH; i++)
        rows[i] = row_of(TESSERA_FLOAT32, row->vocab, logits);
    choose_steps(row, rare_draws, steps);
    cr_assert(steps[0] == first_step);
    for (EACH_BACKEND(backend)) {
        struct call call;

        call_build(&call, backend, rows, BATCH, &layout, NULL);
        call.outputs = (struct tessera_outputs){
            .sizeof_outputs = sizeof(call.outputs),
            .token = call.outputs.token,
            .weight_sum = call.outputs.weight_sum,
        };
        for (size_t i = 0; i < BATCH; i++)
            call.batch.params[i].step = steps[i];
        cr_assert(call_run(&call) == TESSERA_OK);
        cr_assert(call.outputs.token[0] == first_token);
        for (size_t i = 0; i < BATCH; i++) {
            int32_t token = token_at(row, steps[i]);

            cr_assert(call.outputs.token[i] == token &&
                          call.outputs.weight_sum[i] == row->weight_sum,
                      "%s, step %zu: token %d, not %d", backend->name, steps[i],
                      call.outputs.token[i], token);
        }
        call_free(&call);
    }
    free(rows);
    free(logits);
}

Test(cases_rare, rare_tokens_at_logit_distance_18)
{
    const struct rare_row row = {200000, 18, 16745, 1102860611031};

    expect_rare(&row, 312, 652, 137360);
}

Test(cases_rare, rare_tokens_at_logit_distance_20_and_a_half)
{
    const struct rare_row row = {262144, 20.5f, 1374, 1099871812258};

    expect_rare(&row, 38, 3567, 74088);
}
