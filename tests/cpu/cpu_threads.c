/*
 * cpu_threads.c - threads of the CPU backend keep the contract's floating-point
 * environment, and the host program its own
 */

#include "against_reference.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <fenv.h>
#include <stdlib.h>

#ifdef _OPENMP

#include <omp.h>

enum { VOCAB = 65536, ROWS = 6, THREADS = 3 };

static const struct layout plain_layout;

/* OpenMP hands the program's own threads to the library, and they may round as
 * the program likes. */
static void round_upward(void)
{
    omp_set_num_threads(THREADS);
#pragma omp parallel
    fesetround(FE_UPWARD);
}

Test(cpu_threads, a_rounding_mode_of_the_programs_threads_changes_no_answer)
{
    struct random random = {6};
    struct test_row rows[ROWS];

    for (size_t row = 0; row < ROWS; row++) {
        rows[row] = random_row(&random, TESSERA_FLOAT32, VOCAB);
        rows[row].params.temperature = 0.7f;
    }
    round_upward();
    EXPECT_REFERENCE(rows, ROWS, &plain_layout);
    for (size_t row = 0; row < ROWS; row++)
        random_row_free(&rows[row]);
}

/* As many threads as the program has, so that OpenMP ends none. */
Test(cpu_threads, the_programs_threads_round_as_before)
{
    static const struct backend cpu = {TESSERA_DEVICE_CPU, "cpu"};
    static float logits[VOCAB];
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct test_row rows[ROWS];
    struct call call;
    int changed = 0;

    for (size_t row = 0; row < ROWS; row++)
        rows[row] = row_of(TESSERA_FLOAT32, VOCAB, logits);
    config.device = TESSERA_DEVICE_CPU;
    config.vocab = VOCAB;
    config.threads = THREADS;
    config.max_top_logprobs = TOP_N;
    call_build(&call, &cpu, rows, ROWS, &plain_layout, &config);
    round_upward();
    cr_assert(call_run(&call) == TESSERA_OK);
#pragma omp parallel reduction(+ : changed)
    changed += fegetround() != FE_UPWARD;
    cr_assert(changed == 0, "%d threads round otherwise than before", changed);
    call_free(&call);
}

#endif
