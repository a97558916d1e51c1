/*
 * allocation.c - memory that the library cannot have, and where it asks for it
 *
 * The test program is linked with --wrap for malloc() and its kin, so that what
 * the library allocates comes by here.
 */

#include "api_call.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static atomic_int allocations; /* since watch() */
static int failing;            /* which of them fails; 0: none */

static bool fails(void)
{
    int number = atomic_fetch_add(&allocations, 1) + 1;

    if (number != failing)
        return false;
    errno = ENOMEM;
    return true;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    return fails() ? ENOMEM : __real_posix_memalign(memory, alignment, bytes);
}

/* Counts allocations from here on, and fails this one of them. */
static void watch(int which)
{
    failing = which;
    atomic_store(&allocations, 0);
}

/* How many there were; none fails from here on. */
static int watched(void)
{
    failing = 0;
    return atomic_load(&allocations);
}

/* Present in a build with LeakSanitizer only. */
__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

static void expect_no_leak(void)
{
    if (__lsan_do_recoverable_leak_check)
        cr_assert(eq(int, __lsan_do_recoverable_leak_check(), 0));
}

static struct tessera_config config_for(const struct backend *backend)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;

    config.device = backend->device;
    config.vocab = 100;
    config.max_rows = 4;
    return config;
}

static void expect_out_of_memory(const struct backend *backend,
                                 enum tessera_status status)
{
    cr_assert(status == TESSERA_OUT_OF_MEMORY, "%s: %s", backend->name,
              tessera_status_name(status));
    cr_assert(strstr(tessera_last_error(), "allocated") != NULL, "%s: '%s'",
              backend->name, tessera_last_error());
}

/* As often as there are allocations, and once more, which succeeds. */
Test(allocation, may_fail_at_each_place_of_create)
{
    for (EACH_HOST_BACKEND(backend)) {
        const struct tessera_config config = config_for(backend);
        int which = 0;
        int made;

        do {
            struct tessera_sampler *sampler = (void *)&made;

            watch(++which);
            enum tessera_status status = tessera_create(&config, &sampler);
            made = watched();
            if (made < which) {
                cr_assert(status == TESSERA_OK, "%s", tessera_last_error());
                tessera_free(sampler);
                continue;
            }
            expect_out_of_memory(backend, status);
            cr_assert(sampler == NULL);
        } while (made >= which);
        cr_assert(which > 1, "%s: nothing was allocated", backend->name);
    }
    expect_no_leak();
}

Test(allocation, may_fail_at_each_place_of_workspace_create)
{
    for (EACH_HOST_BACKEND(backend)) {
        const struct tessera_config config = config_for(backend);
        struct tessera_sampler *sampler;
        int which = 0;
        int made;

        cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
        do {
            void *workspace = &made;
            size_t bytes = 1;

            watch(++which);
            enum tessera_status status =
                tessera_workspace_create(sampler, 4, &workspace, &bytes);
            made = watched();
            if (made < which) {
                cr_assert(status == TESSERA_OK, "%s", tessera_last_error());
                tessera_workspace_free(sampler, workspace);
                continue;
            }
            expect_out_of_memory(backend, status);
            cr_assert(workspace == NULL && bytes == 0);
        } while (made >= which);
        cr_assert(which > 1, "%s: nothing was allocated", backend->name);
        tessera_free(sampler);
    }
    expect_no_leak();
}

Test(allocation, may_fail_in_memory_create)
{
    for (EACH_HOST_BACKEND(backend)) {
        const struct tessera_config config = config_for(backend);
        struct tessera_sampler *sampler;
        void *memory = &sampler;

        cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
        watch(1);
        enum tessera_status status =
            tessera_memory_create(sampler, 100, &memory);
        cr_assert(eq(int, watched(), 1));
        expect_out_of_memory(backend, status);
        cr_assert(memory == NULL);
        cr_assert(tessera_memory_create(sampler, 100, &memory) == TESSERA_OK);
        tessera_memory_free(sampler, memory);
        tessera_free(sampler);
    }
    expect_no_leak();
}

/* Of a call that uses every stage and wants every output. */
Test(allocation, is_not_done_by_sample)
{
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;

        build_full_call(&call, backend);
        watch(0);
        enum tessera_status status =
            tessera_sample(call.sampler, call.workspace, call.workspace_bytes,
                           &call.batch, &call.outputs, NULL);
        int made = watched();
        cr_assert(status == TESSERA_OK, "%s", tessera_last_error());
        cr_assert(made == 0, "%s: %d allocations", backend->name, made);
        call_free(&call);
    }
}
