/*
 * library.c - what the shared library shows and needs, and that it leaks not
 */

#include "outside.h"

#include <tessera.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(library, exports_only_its_own_names)
{
    char *output;

    int status = run_outside(&output, "nm -D --defined-only '" LIBRARY "' | "
                                      "awk '{ print $3 }' | sort");
    cr_assert(eq(int, status, 0));

    size_t exported = 0;
    for (char *name = strtok(output, "\n"); name; name = strtok(NULL, "\n")) {
        /* A sanitizer's own, in a build with one. */
        if (*SANITIZE_FLAGS && strncmp(name, "tessera_", 8) != 0)
            continue;
        cr_assert(strncmp(name, "tessera_", 8) == 0, "exports %s", name);
        exported++;
    }
    cr_assert(eq(sz, exported, 17));
    free(output);
}

Test(library, needs_nothing_but_libc_libm_and_openmp)
{
    char *output;

    if (*SANITIZE_FLAGS)
        cr_skip("a sanitizer needs its own libraries");
    run_outside(&output, "readelf -d '" LIBRARY "' | sed -n "
                         "'s/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'");
    for (char *name = strtok(output, "\n"); name; name = strtok(NULL, "\n"))
        cr_assert(strncmp(name, "libc.so", 7) == 0 ||
                      strncmp(name, "libm.so", 7) == 0 ||
                      strncmp(name, "ld-linux", 8) == 0 ||
                      strncmp(name, "libgomp.so", 10) == 0 ||
                      strncmp(name, "libomp.so", 9) == 0,
                  "needs %s", name);
    free(output);
}

Test(library, has_the_versions_of_its_header)
{
    char version[32];

    snprintf(version, sizeof(version), "%d.%d.%d", TESSERA_VERSION_MAJOR,
             TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH);
    cr_assert(eq(str, (char *)tessera_version(), version));
    cr_assert(eq(int, tessera_contract_version(), TESSERA_CONTRACT_VERSION));
}

Test(library, names_every_status)
{
    for (int status = TESSERA_OK; status <= TESSERA_FATAL; status++)
        cr_assert(strcmp(tessera_status_name((enum tessera_status)status),
                         "unknown status") != 0,
                  "%d", status);
    cr_assert(eq(str, (char *)tessera_status_name((enum tessera_status)99),
                 "unknown status"));
}

/* Present in a build with LeakSanitizer only. */
__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

static void use_everything_once(void)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_params params = TESSERA_PARAMS_INIT;
    struct tessera_batch batch = TESSERA_BATCH_INIT;
    struct tessera_outputs outputs = TESSERA_OUTPUTS_INIT;
    struct tessera_sampler *sampler;
    void *workspace;
    size_t workspace_bytes;
    const float logits[3] = {1, 2, 3};
    int32_t token;

    config.vocab = 3;
    cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
    cr_assert(tessera_workspace_create(sampler, 1, &workspace,
                                       &workspace_bytes) == TESSERA_OK);
    batch.rows = 1;
    batch.logits = logits;
    batch.logits_rows = 1;
    batch.logits_stride = 3;
    batch.params = &params;
    outputs.token = &token;
    cr_assert(tessera_sample(sampler, workspace, workspace_bytes, &batch,
                             &outputs, NULL) == TESSERA_OK);
    config.vocab = 0;
    struct tessera_sampler *refused;
    cr_assert(tessera_create(&config, &refused) == TESSERA_BAD_ARGUMENT);
    tessera_workspace_free(sampler, workspace);
    tessera_free(sampler);
}

/* Criterion passes over a report at exit, so the check is made here. */
Test(library, leaks_nothing)
{
    if (!__lsan_do_recoverable_leak_check)
        cr_skip("this build has no LeakSanitizer");
    use_everything_once();
    cr_assert(eq(int, __lsan_do_recoverable_leak_check(), 0));
}
