/*
 * environment.c - the caller's floating-point environment changes no answer,
 * and is the caller's again afterwards
 */

#include "batch_builder.h"
#include "floats.h"
#include "random_rows.h"

#include <criterion/criterion.h>

#include <fenv.h>
#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>

/* MXCSR's flush-to-zero and denormals-are-zero. */
enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };
#endif

enum { RANDOM = 24, SPECIAL = 8, ROWS = RANDOM + SPECIAL, VOCAB = 200 };

/* The environment of a caller. */
struct setting {
    const char *name;
    int rounding;
    unsigned flush; /* bits of MXCSR */
    int traps;      /* exceptions that end the process */
};

static const struct setting settings[] = {
    {"upward", FE_UPWARD, 0, 0},
    {"downward", FE_DOWNWARD, 0, 0},
    {"toward zero", FE_TOWARDZERO, 0, 0},
    {"trapping", FE_TONEAREST, 0, FE_ALL_EXCEPT},
    {"trapping, upward", FE_UPWARD, 0, FE_ALL_EXCEPT},
#if defined(__SSE2__)
    {"flush to zero", FE_TONEAREST, FLUSH_TO_ZERO, 0},
    {"denormals are zero", FE_TONEAREST, DENORMALS_ARE_ZERO, 0},
    {"both", FE_TONEAREST, FLUSH_TO_ZERO | DENORMALS_ARE_ZERO, 0},
    {"all", FE_DOWNWARD, FLUSH_TO_ZERO | DENORMALS_ARE_ZERO, FE_ALL_EXCEPT},
#endif
};

enum { SETTING_COUNT = sizeof(settings) / sizeof(settings[0]) };

/* What a caller can see of its environment. */
struct state {
    int rounding;
    int raised;
    int traps;
    unsigned mxcsr;
};

static struct state current_state(void)
{
    struct state state = {fegetround(), fetestexcept(FE_ALL_EXCEPT), 0, 0};

#if defined(__GLIBC__)
    state.traps = fegetexcept();
#endif
#if defined(__SSE2__)
    state.mxcsr = _mm_getcsr();
#endif
    return state;
}

/* Exceptions are already raised where none traps. */
static void enter(const struct setting *setting)
{
    feclearexcept(FE_ALL_EXCEPT);
    if (!setting->traps)
        feraiseexcept(FE_DIVBYZERO | FE_UNDERFLOW);
#if defined(__GLIBC__)
    feenableexcept(setting->traps);
#endif
    fesetround(setting->rounding);
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | setting->flush);
#endif
}

/* Rows whose answer hangs on a subnormal: a logit, a bias, a parameter. */
static void make_special(struct test_row rows[SPECIAL])
{
    static const float subnormals[VOCAB] = {0, 1e-45f, -1e-45f, 3e-45f, -0.0f};
    static const float zeros[VOCAB];
    static const struct tessera_bias bias[] = {{7, 3e-45f}};
    static const int32_t generated[] = {0};

    for (size_t i = 0; i < SPECIAL; i++)
        rows[i] = row_of(TESSERA_FLOAT32, VOCAB, i < 2 ? subnormals : zeros);
    rows[0].params.temperature = 0; /* token 3 */
    rows[1].params.temperature = 1e-5f;
    rows[1].params.top_k = 3;
    rows[2].params.temperature = -1e-45f; /* invalid; 0 where it is flushed */
    rows[3].params.temperature = 0;
    rows[3].bias = (struct bias_list){bias, 1};
    rows[4].params.repetition_penalty = 1e-45f; /* valid; 0 is not */
    rows[5].params.min_p = -1e-45f;
    rows[6].params.top_p = 1e-45f;
    rows[7].params.temperature = 0;
    rows[7].params.presence_penalty = 1e-45f;
    rows[7].generated = (struct id_list){generated, 1};
}

/* Makes the call in a setting, and checks that it is there again. */
static void sample_in(const struct setting *setting,
                      const struct backend *backend, struct call *call)
{
    enter(setting);
    struct state before = current_state();
    enum tessera_status status =
        tessera_sample(call->sampler, call->workspace, call->workspace_bytes,
                       &call->batch, &call->outputs, NULL);
    struct state after = current_state();
    fesetenv(FE_DFL_ENV);

    cr_assert(status == TESSERA_OK);
    cr_assert(memcmp(&before, &after, sizeof(before)) == 0,
              "%s, %s: rounding %d (%d), raised %x (%x), traps %x (%x), MXCSR "
              "%x (%x)",
              backend->name, setting->name, after.rounding, before.rounding,
              (unsigned)after.raised, (unsigned)before.raised,
              (unsigned)after.traps, (unsigned)before.traps, after.mxcsr,
              before.mxcsr);
}

Test(environment, changes_no_answer_and_is_not_changed)
{
    struct random random = {3};
    struct test_row rows[ROWS];
    struct row_result plain[ROWS];

    for (size_t i = 0; i < RANDOM; i++)
        rows[i] = random_row(&random, TESSERA_FLOAT32, VOCAB);
    make_special(rows + RANDOM);
    for (EACH_HOST_BACKEND(backend))
        for (int raw = 0; raw < 2; raw++) {
            const struct layout layout = {.top_raw = raw};

            run_rows(backend, rows, ROWS, &layout, plain);
            for (size_t i = 0; i < SETTING_COUNT; i++) {
                struct call call;

                call_build(&call, backend, rows, ROWS, &layout, NULL);
                sample_in(&settings[i], backend, &call);
                for (size_t row = 0; row < ROWS; row++) {
                    struct row_result result = call_result(&call, row);

                    cr_assert(memcmp(&result, &plain[row], sizeof(result)) == 0,
                              "%s, %s, row %zu: token %d (%d), status %u (%u)",
                              backend->name, settings[i].name, row,
                              result.token, plain[row].token, result.status,
                              plain[row].status);
                }
                call_free(&call);
            }
        }
    for (size_t i = 0; i < RANDOM; i++)
        random_row_free(&rows[i]);
}

/* What the special rows answer, so that the test above compares the right
 * thing. */
Test(environment, subnormals_count)
{
    static const int32_t tokens[SPECIAL] = {3, -2, -1, 7, -2, -1, 0, 1};
    const struct layout layout = {0};
    struct test_row rows[SPECIAL];
    struct row_result results[SPECIAL];

    make_special(rows);
    for (EACH_HOST_BACKEND(backend)) {
        run_rows(backend, rows, SPECIAL, &layout, results);
        for (size_t i = 0; i < SPECIAL; i++) /* -2: any token */
            cr_assert(tokens[i] == -2 ? results[i].token >= 0
                                      : results[i].token == tokens[i],
                      "%s, row %zu: token %d", backend->name, i,
                      results[i].token);
        cr_assert(results[1].n_kept == 3);
    }
}

/* The check of params, and what else takes no row. */
Test(environment, other_calls_leave_it_alone)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        struct tessera_params params = TESSERA_PARAMS_INIT;
        struct tessera_config config = TESSERA_CONFIG_INIT;
        struct tessera_sampler *sampler;
        enum tessera_status statuses[4];
        void *workspace;

        config.vocab = VOCAB;
        params.temperature = float_of_bits(0x80000001); /* -1e-45 */
        enter(&settings[i]);
        struct state before = current_state();
        statuses[0] = tessera_params_check(&params, NULL);
        params.temperature = 1;
        statuses[1] = tessera_params_check(&params, NULL);
        statuses[2] = tessera_create(&config, &sampler);
        statuses[3] = tessera_workspace_create(sampler, 1, &workspace, NULL);
        tessera_workspace_free(sampler, workspace);
        tessera_free(sampler);
        struct state after = current_state();
        fesetenv(FE_DFL_ENV);

        cr_assert(memcmp(&before, &after, sizeof(before)) == 0, "%s",
                  settings[i].name);
        cr_assert(statuses[0] == TESSERA_BAD_ARGUMENT, "%s: -1e-45 is taken",
                  settings[i].name);
        cr_assert(strstr(tessera_last_error(), "temperature is -1.4"));
        for (size_t call = 1; call < 4; call++)
            cr_assert(statuses[call] == TESSERA_OK, "%s", settings[i].name);
    }
}
