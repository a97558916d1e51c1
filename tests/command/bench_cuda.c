/*
 * bench_cuda.c - tessera bench on the CUDA backend
 *
 * There is no GPU here: the plugin is a stand-in, which is the reference, and
 * the driver a fake, which says what was asked of it.  What they cannot tell is
 * whether a device would give these times.
 */

#include "../../host/cli/cli.h"
#include "bench_run.h"
#include "fake_driver.h"
#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS "--json --backend cuda --batch 3 --vocab-size 500 --repeat 2 "

static struct fake_driver *driver;

/* The command opens the driver by its name; a library of that name that is
 * already there is the one it gets. */
static void open_fakes(void)
{
    fake_driver_function function;
    void *library = dlopen(FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);

    cr_assert(library != NULL, "%s", dlerror());
    void *symbol = dlsym(library, "fake_driver");
    memcpy(&function, &symbol, sizeof(function));
    driver = function();
    setenv("TESSERA_CUDA_LIBRARY", STAND_IN, 1);
}

TestSuite(bench_cuda, .init = open_fakes);

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

Test(bench_cuda, replays_are_timed_and_a_read_is_half_a_copy)
{
    struct bench_outcome outcome = run_bench(ARGUMENTS "--case top_p95");

    cr_assert(eq(int, outcome.status, CLI_OK), "%s", outcome.said);
    cr_assert(eq(sz, outcome.count, 1));
    const json_t *object = outcome.objects[0];
    cr_expect(eq(str, (char *)bench_text(object, "backend"), "cuda"));
    cr_expect(eq(str, (char *)bench_text(object, "plan"), "staged"));
    cr_expect(eq(dbl, bench_number(object, "us_median"), 2000));
    cr_expect(eq(dbl, bench_number(object, "us_min"), 2000));
    cr_expect(eq(dbl, bench_number(object, "us_max"), 2000));
    cr_expect(eq(dbl, bench_number(object, "floor_us"), 500));
    cr_expect(eq(dbl, bench_number(object, "ratio"), 4));
    cr_expect(eq(dbl, bench_number(object, "rows_per_s"), 1500));
    bench_outcome_free(&outcome);
}

/* The file has 24 rows; a batch of 48 reads each twice. */
Test(bench_cuda, the_floor_is_of_all_rows_that_are_read)
{
    struct bench_outcome outcome = run_bench(
        "--json --backend cuda --batch 48 --case real --logits " SOURCE_DIR
        "/bench/data/smollm2.npy --repeat 1");

    cr_assert(eq(int, outcome.status, CLI_OK), "%s", outcome.said);
    cr_expect(eq(dbl, bench_number(outcome.objects[0], "floor_us"), 1000));
    bench_outcome_free(&outcome);
}

Test(bench_cuda, the_driver_is_called_in_order)
{
    struct bench_outcome outcome = run_bench(ARGUMENTS "--case greedy");

    cr_assert(eq(int, outcome.status, CLI_OK), "%s", outcome.said);
    cr_expect(
        starts_with(driver->calls,
                    "Init DeviceGet ContextRetain ContextSet StreamCreate "
                    "EventCreate EventCreate PointerAttribute "
                    "Record Synchronize BeginCapture EndCapture Instantiate "
                    "Copy Record Copy Record Synchronize Elapsed "),
        "%s", driver->calls);
    cr_expect(strstr(driver->calls,
                     " Launch Record Launch Record Synchronize Elapsed ") !=
                  NULL,
              "%s", driver->calls);
    cr_expect(ends_with(driver->calls,
                        " ExecDestroy GraphDestroy EventDestroy EventDestroy "
                        "StreamDestroy ContextRelease "),
              "%s", driver->calls);
    cr_expect(eq(int, driver->live, 0));
    bench_outcome_free(&outcome);
}

/* Every case and type: none has a row that the bounds of its params forbid. */
Test(bench_cuda, every_case_is_measured)
{
    struct bench_outcome outcome = run_bench(ARGUMENTS "--dtype f32,f16,bf16");

    cr_assert(eq(int, outcome.status, CLI_OK), "%s", outcome.said);
    cr_expect(eq(sz, outcome.count, 12 * 3));
    cr_expect(eq(int, driver->live, 0));
    bench_outcome_free(&outcome);
}

Test(bench_cuda, a_call_that_fails_is_named_and_nothing_is_left)
{
    static const struct {
        const char *name;
        const char *member;
    } calls[] = {
        {"Init", "init"},
        {"DeviceGet", "device_get"},
        {"ContextRetain", "context_retain"},
        {"ContextSet", "context_set"},
        {"StreamCreate", "stream_create"},
        {"EventCreate", "event_create"},
        {"Record", "event_record"},
        {"BeginCapture", "stream_begin_capture"},
        {"EndCapture", "stream_end_capture"},
        {"Instantiate", "graph_instantiate"},
        {"Launch", "graph_launch"},
        {"Copy", "copy"},
        {"Synchronize", "event_synchronize"},
        {"Elapsed", "event_elapsed"},
    };

    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        char *expected;

        driver->failing = calls[i].name;
        struct bench_outcome outcome = run_bench(ARGUMENTS "--case greedy");
        cr_assert(asprintf(&expected,
                           "tessera bench: the CUDA driver's %s failed: "
                           "CUDA_ERROR_ILLEGAL_ADDRESS (700)\n",
                           calls[i].member) >= 0);
        cr_expect(eq(int, outcome.status, CLI_FAILED), "%s", calls[i].name);
        cr_expect(eq(str, outcome.said, expected));
        cr_expect(eq(sz, outcome.count, 0), "%s", calls[i].name);
        cr_expect(eq(int, driver->live, 0), "%s", calls[i].name);
        bench_outcome_free(&outcome);
        free(expected);
    }
}

/* As where the harness of tests/vgpu runs the kernels beside a real driver. */
Test(bench_cuda, memory_that_is_not_the_drivers_is_refused)
{
    driver->memory_type = 1;
    struct bench_outcome outcome = run_bench(ARGUMENTS "--case greedy");

    cr_expect(eq(int, outcome.status, CLI_USAGE));
    cr_expect(eq(str, outcome.said,
                 "tessera bench: --backend is cuda; its kernels do not run on "
                 "the device of the CUDA driver, whose events time them\n"));
    cr_expect(eq(int, driver->live, 0));
    bench_outcome_free(&outcome);
}

/* The backend is there, as under tests/vgpu; what could time it is not. */
Test(bench_cuda_refused, without_a_driver_the_line_says_so)
{
    void *real = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (real)
        cr_skip_test("a CUDA driver is here");

    setenv("TESSERA_CUDA_LIBRARY", STAND_IN, 1);
    struct bench_outcome outcome = run_bench(ARGUMENTS);
    cr_expect(eq(int, outcome.status, CLI_USAGE));
    cr_expect(eq(str, outcome.said,
                 "tessera bench: --backend is cuda; bench times it by events "
                 "of the CUDA driver: libcuda.so.1: cannot open shared object "
                 "file: No such file or directory\n"));
    bench_outcome_free(&outcome);
}

/* What the line ends with where TESSERA_CUDA_LIBRARY is 'plugin'. */
static void expect_absence(const char *plugin, const char *why)
{
    setenv("TESSERA_CUDA_LIBRARY", plugin, 1);
    struct bench_outcome outcome = run_bench(ARGUMENTS);
    cr_expect(eq(int, outcome.status, CLI_USAGE));
    cr_expect(strstr(outcome.said, "tessera bench: --backend is cuda; ") ==
                      outcome.said &&
                  strstr(outcome.said, why) != NULL,
              "%s", outcome.said);
    bench_outcome_free(&outcome);
}

/* A plugin that is there and cannot be loaded is not one that is not there. */
Test(bench_cuda_refused, without_a_plugin_the_line_says_so)
{
    expect_absence("/nonexistent",
                   "there is no file where TESSERA_CUDA_LIBRARY says\n");
    expect_absence("libm.so.6",
                   "what TESSERA_CUDA_LIBRARY names is no plugin of tessera\n");
    expect_absence("none.so", "none.so: cannot open shared object file");
    expect_absence("", "libtessera_cuda.so is not beside the library\n");
    expect_absence("/proc/self/exe", "/proc/self/exe: cannot dynamically load");
    expect_absence("/etc/passwd", "/etc/passwd: invalid ELF header\n");
}
