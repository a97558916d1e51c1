/*
 * command_check.c - tessera check: which backends, plans and kernels
 */

#include "command_run.h"
#include "row_builder.h"
#include "vector_text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static void start(void)
{
    command_start();
    make_two_rows();
    make_text("vectors.txt", QUESTION ANSWER QUESTION ANSWER);
    setenv("TESSERA_CUDA_LIBRARY", STAND_IN, 1);
}

TestSuite(command_check, .init = start, .fini = command_end);

/* One call for the answers and one for those of the raw row, in either order of
 * the rows. */
Test(command_check, names_backend_plan_and_kernels)
{
    const char *out = succeed("check two.npy --backend cuda");

    cr_assert(eq(str, (char *)out,
                 (char *)"cuda staged, in one batch: 2 passed, 0 failed\n"
                         "cuda staged, in reverse: 2 passed, 0 failed\n"
                         "cuda staged ran twice (8), once (4)\n"
                         "4 passed, 0 failed\n"));
    cr_assert(eq(str, (char *)succeed("check two.npy --plan staged"),
                 (char *)succeed("check two.npy")));
    cr_assert(holds(succeed("check two.npy"), "reference, in one batch: 2"));
    cr_assert(holds(succeed("check two.npy"), "cuda staged, in one batch: 2"));
    cr_assert(holds(succeed("check two.npy --backend reference"), "ran") ==
              false);
}

Test(command_check, names_them_for_vectors)
{
    const char *out =
        succeed("check --backend cuda --plan staged --vectors vectors.txt");

    cr_assert(eq(str, (char *)out,
                 (char *)"vectors.txt, asked of cuda staged\n"
                         "cuda staged ran twice (4), once (2)\n"
                         "2 passed, 0 failed\n"));
}

static void expect_kernels(const json_t *object, int twice)
{
    const json_t *kernels = json_object_get(object, "kernels");

    cr_assert(eq(str, (char *)string_in(object, "backend"), (char *)"cuda"));
    cr_assert(eq(str, (char *)string_in(object, "plan"), (char *)"staged"));
    cr_assert(eq(sz, json_object_size(kernels), 2));
    cr_assert(eq(int, (int)integer_in(kernels, "twice"), twice));
    cr_assert(eq(int, (int)integer_in(kernels, "once"), twice / 2));
}

Test(command_check, names_them_in_json)
{
    const char *out = succeed("check two.npy --backend cuda --json");

    cr_assert(eq(sz, count_lines(out), 4));
    cr_assert(eq(str, (char *)string_in(object_of(out, 0), "plan"),
                 (char *)"staged"));
    expect_kernels(object_of(out, 2), 8);
    out = succeed("check two.npy --backend reference --json");
    cr_assert(is_null(json_object_get(object_of(out, 0), "plan")));
    out = succeed("check --vectors vectors.txt --json --backend cuda");
    cr_assert(eq(sz, count_lines(out), 2));
    expect_kernels(object_of(out, 0), 4);
}

/* A check of the backend cuda once ran none of its kernels, and passed. */
Test(command_check, fails_where_no_kernel_ran)
{
    static const char *const checks[] = {
        "check two.npy --backend cuda",
        "check two.npy",
        "check --vectors vectors.txt --backend cuda",
        "check --vectors vectors.txt --json",
    };

    setenv("TESSERA_CUDA_LIBRARY", STAND_IN_SILENT, 1);
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        struct outcome outcome = command("%s", checks[i]);

        cr_assert(eq(int, outcome.status, 1), "%s", checks[i]);
        cr_assert(eq(str, outcome.err,
                     (char *)"tessera check: cuda staged ran no kernel\n"));
    }
}

/* A GPU older than the code: there, and of no use. */
Test(command_check, passes_over_a_device_without_code)
{
    static const char *const asked[] = {
        "check two.npy --backend cuda",
        "check --vectors vectors.txt --backend cuda",
        "sample two.npy --backend cuda",
    };

    setenv("STAND_IN_WITHOUT_CODE", "1", 1);
    cr_assert(eq(int, holds(succeed("check two.npy"), "cuda"), false));
    cr_assert(holds(succeed("check two.npy"), "cpu, in one batch: 2"));
    succeed("check --vectors vectors.txt");
    cr_assert(holds(succeed("sample two.npy"), "backend cpu"));
    for (size_t i = 0; i < COUNT_OF(asked); i++)
        cr_assert(
            holds(command("%s", asked[i]).err, "there is no code for it\n"),
            "%s", asked[i]);
}

Test(command_check, fails_where_the_plan_asked_for_is_not_here)
{
    static const struct {
        const char *arguments;
        int status;
    } faults[] = {
        {"check two.npy --plan fused", 1},
        {"check two.npy --backend cuda --plan fused", 1},
        {"check --vectors vectors.txt --plan fused", 1},
        {"sample two.npy --plan fused", 2},
        {"show two.npy --row 0 --plan fused", 2},
    };

    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        struct outcome outcome = command("%s", faults[i].arguments);

        cr_assert(eq(int, outcome.status, faults[i].status), "%s",
                  faults[i].arguments);
        cr_assert(
            holds(outcome.err, ": --plan is fused; this library has staged\n"),
            "%s", outcome.err);
        cr_assert(eq(str, outcome.out, (char *)""));
    }
    cr_assert(holds(succeed("sample two.npy --plan staged"), "backend cuda"));
    succeed("show two.npy --row 0 --plan staged");
}

Test(command_check, prints_a_difference_with_its_plan)
{
    char *text = changed(QUESTION ANSWER, "kept=1", "kept=2");

    make_text("wrong.txt", text);
    struct outcome outcome =
        command("check --backend cuda --vectors wrong.txt");
    cr_assert(eq(int, outcome.status, 1));
    cr_assert(holds(outcome.out,
                    "wrong.txt:1: cuda staged differs in n_kept at step 0\n"));
    outcome = command("check --backend cuda --json --vectors wrong.txt");
    const json_t *object = object_of(outcome.out, 0);
    cr_assert(eq(str, (char *)string_in(object, "plan"), (char *)"staged"));
    cr_assert(
        eq(str, (char *)string_in(object, "differs_in"), (char *)"n_kept"));
    cr_assert(holds(string_in(object, "expected"), "kept=2"));
    free(text);
}
