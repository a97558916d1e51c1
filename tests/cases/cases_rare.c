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

/* One peak at id 0 and 'vocab' - 1 tokens of 'weight' each, drawn from at
 * steps 0 to DRAWS - 1; under a sanitizer, which is not after the count, at
 * those of one batch. */
static void expect_rare(int32_t vocab, float peak, uint64_t weight,
                        uint64_t weight_sum, int rare_draws, size_t first_step,
                        int32_t first_token)
{
    float *logits = calloc((size_t)vocab, sizeof(*logits));
    struct test_row *rows = malloc(BATCH * sizeof(*rows));
    const struct layout layout = {.shared = true};
    const size_t draws = *SANITIZE_FLAGS ? BATCH : DRAWS;

    logits[0] = peak;
    cr_assert(ONE + (uint64_t)(vocab - 1) * weight == weight_sum);
    for (size_t i = 0; i < BATCH; i++)
        rows[i] = row_of(TESSERA_FLOAT32, vocab, logits);
    for (EACH_BACKEND(backend)) {
        struct call call;
        int rare = 0;

        call_build(&call, backend, rows, BATCH, &layout, NULL);
        call.outputs = (struct tessera_outputs){
            .sizeof_outputs = sizeof(call.outputs),
            .token = call.outputs.token,
            .weight_sum = call.outputs.weight_sum,
        };
        for (size_t start = 0; start < draws; start += BATCH) {
            size_t count = draws - start < BATCH ? draws - start : BATCH;

            for (size_t i = 0; i < count; i++)
                call.batch.params[i].step = start + i;
            call.batch.rows = (int32_t)count;
            cr_assert(call_run(&call) == TESSERA_OK);
            for (size_t i = 0; i < count; i++) {
                uint64_t target =
                    scaled(oracle_random(42, 0, start + i), weight_sum);
                int32_t token =
                    target < ONE ? 0 : 1 + (int32_t)((target - ONE) / weight);

                cr_assert(call.outputs.token[i] == token &&
                              call.outputs.weight_sum[i] == weight_sum,
                          "%s, step %zu: token %d, not %d", backend->name,
                          start + i, call.outputs.token[i], token);
                if (token != 0 && rare++ == 0)
                    cr_assert(start + i == first_step && token == first_token,
                              "%s: the first rare token is %d at step %zu",
                              backend->name, token, start + i);
            }
        }
        cr_assert(draws < DRAWS || rare == rare_draws, "%s: %d rare draws",
                  backend->name, rare);
        call_free(&call);
    }
    free(rows);
    free(logits);
}

Test(cases_rare, rare_tokens_at_logit_distance_18)
{
    expect_rare(200000, 18, 16745, 1102860611031, 312, 652, 137360);
}

Test(cases_rare, rare_tokens_at_logit_distance_20_and_a_half)
{
    expect_rare(262144, 20.5f, 1374, 1099871812258, 38, 3567, 74088);
}
