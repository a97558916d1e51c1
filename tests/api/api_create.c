/*
 * api_create.c - making samplers and workspaces
 */

#include "api_call.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static struct tessera_config good_config(const struct backend *backend)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;

    config.device = backend->device;
    config.vocab = 100;
    config.max_rows = 8;
    return config;
}

/* Creation fails with this status and an error that has the texts in it. */
static void expect_no_sampler(int line, const struct tessera_config *config,
                              enum tessera_status expected, struct texts texts)
{
    struct tessera_sampler *sampler = (struct tessera_sampler *)(void *)&line;
    enum tessera_status status = tessera_create(config, &sampler);

    cr_assert(status == expected, "line %d: %s", line,
              tessera_status_name(status));
    cr_assert(!sampler, "line %d: a sampler was left behind", line);
    expect_error(__FILE__, line, texts);
}

#define NO_SAMPLER(change, expected, ...)                                      \
    for (EACH_HOST_BACKEND(backend)) {                                         \
        struct tessera_config config = good_config(backend);                   \
        change;                                                                \
        expect_no_sampler(__LINE__, &config, expected, TEXTS(__VA_ARGS__));    \
    }

#define SAMPLER(change)                                                        \
    for (EACH_HOST_BACKEND(backend)) {                                         \
        struct tessera_config config = good_config(backend);                   \
        struct tessera_sampler *sampler = NULL;                                \
        change;                                                                \
        cr_assert(tessera_create(&config, &sampler) == TESSERA_OK, "%s: %s",   \
                  backend->name, tessera_last_error());                        \
        cr_assert(sampler);                                                    \
        tessera_free(sampler);                                                 \
    }

Test(api_create, refuses_null)
{
    const struct backend *reference = next_backend(NULL, true);
    struct tessera_config config = good_config(reference);

    expect_no_sampler(__LINE__, NULL, TESSERA_BAD_ARGUMENT,
                      TEXTS("config", "NULL"));
    cr_assert(tessera_create(&config, NULL) == TESSERA_BAD_ARGUMENT);
    expect_error(__FILE__, __LINE__, TEXTS("sampler", "NULL"));
    cr_assert(tessera_create(NULL, NULL) == TESSERA_BAD_ARGUMENT);
    tessera_free(NULL);
}

Test(api_create, refuses_each_value_out_of_its_range)
{
    const enum tessera_status bad = TESSERA_BAD_ARGUMENT;

    NO_SAMPLER(config.vocab = 0, bad, "config.vocab", "0", "1 .. 4194304");
    NO_SAMPLER(config.vocab = 4194305, bad, "config.vocab", "4194305",
               "1 .. 4194304");
    NO_SAMPLER(config.max_rows = 0, bad, "config.max_rows", "0",
               "1 .. 2147483647");
    NO_SAMPLER(config.max_rows = -1, bad, "config.max_rows", "-1");
    NO_SAMPLER(config.max_history = -1, bad, "config.max_history", "-1",
               "0 .. 2147483647");
    NO_SAMPLER(config.max_edits = -1, bad, "config.max_edits", "-1",
               "0 .. 2147483647");
    NO_SAMPLER(config.max_top_logprobs = -1, bad, "config.max_top_logprobs",
               "-1", "0 .. 64");
    NO_SAMPLER(config.max_top_logprobs = 65, bad, "config.max_top_logprobs",
               "65", "0 .. 64");
    NO_SAMPLER(config.plans = 4, bad, "config.plans", "0x4", "0x3");
    NO_SAMPLER(config.workspace_limit = 0, bad, "config.workspace_limit", "0",
               "1");
    NO_SAMPLER(config.threads = -1, bad, "config.threads", "-1", "0 .. 1024");
    NO_SAMPLER(config.threads = 1025, bad, "config.threads", "1025",
               "0 .. 1024");
    NO_SAMPLER(config.device = (enum tessera_device)3, bad, "config.device",
               "3", "0 .. 2");
    NO_SAMPLER(config.device = (enum tessera_device) - 1, bad, "config.device",
               "0 .. 2");
    NO_SAMPLER(config.device_ordinal = -1, bad, "config.device_ordinal", "-1",
               "0 .. 0");
    NO_SAMPLER(config.device_ordinal = 1, bad, "config.device_ordinal", "1",
               "0 .. 0");
}

Test(api_create, takes_the_ends_of_each_range)
{
    SAMPLER(config.vocab = 1);
    SAMPLER(config.vocab = TESSERA_MAX_VOCAB);
    SAMPLER(config.max_rows = 1);
    SAMPLER(config.max_rows = INT32_MAX);
    SAMPLER(config.max_history = 0);
    SAMPLER(config.max_history = INT32_MAX);
    SAMPLER(config.max_edits = 0);
    SAMPLER(config.max_edits = INT32_MAX);
    SAMPLER(config.max_top_logprobs = 0);
    SAMPLER(config.max_top_logprobs = TESSERA_MAX_TOP_LOGPROBS);
    SAMPLER(config.plans = TESSERA_PLAN_STAGED | TESSERA_PLAN_FUSED);
    SAMPLER(config.workspace_limit = 1);
    SAMPLER(config.workspace_limit = SIZE_MAX);
    SAMPLER(config.threads = 1);
    SAMPLER(config.threads = 1024);
}

Test(api_create, answers_unavailable_for_what_is_not_there)
{
    NO_SAMPLER(config.contract_version = 0, TESSERA_UNAVAILABLE,
               "config.contract_version", "0", "1");
    NO_SAMPLER(config.contract_version = TESSERA_CONTRACT_VERSION + 1,
               TESSERA_UNAVAILABLE, "config.contract_version", "2", "1");
    if (tessera_device_count(TESSERA_DEVICE_CUDA) == 0)
        NO_SAMPLER(config.device = TESSERA_DEVICE_CUDA, TESSERA_UNAVAILABLE,
                   "config.device", "cuda");
    cr_assert(tessera_device_count((enum tessera_device)3) == 0);
    cr_assert(tessera_device_count((enum tessera_device) - 1) == 0);
}

/* A config of a later version of the header: 16 bytes more. */
struct later_config {
    struct tessera_config config;
    char more[16];
};

Test(api_create, struct_sizes)
{
    NO_SAMPLER(config.sizeof_config = 0, TESSERA_BAD_ARGUMENT,
               "config.sizeof_config", "0");
    NO_SAMPLER(config.sizeof_config -= 1, TESSERA_BAD_ARGUMENT,
               "config.sizeof_config");
    for (EACH_HOST_BACKEND(backend)) {
        struct later_config later = {good_config(backend), {0}};
        struct tessera_sampler *sampler;

        later.config.sizeof_config = sizeof(later);
        cr_assert(tessera_create(&later.config, &sampler) == TESSERA_OK);
        tessera_free(sampler);
        later.more[0] = 1;
        expect_no_sampler(__LINE__, &later.config, TESSERA_BAD_ARGUMENT,
                          TEXTS("config"));
        later.more[0] = 0;
        later.more[15] = 1;
        expect_no_sampler(__LINE__, &later.config, TESSERA_BAD_ARGUMENT,
                          TEXTS("config"));
    }
}

Test(api_create, workspace_bytes_never_falls_and_is_0_only_for_errors)
{
    cr_assert(tessera_workspace_bytes(NULL, 1) == 0);
    for (EACH_HOST_BACKEND(backend)) {
        struct tessera_config config = good_config(backend);
        struct tessera_sampler *sampler;
        size_t last = 1;

        cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
        for (int32_t rows = 0; rows <= 8; rows++) {
            size_t bytes = tessera_workspace_bytes(sampler, rows);
            cr_assert(bytes >= last, "%s: %zu bytes for %d rows", backend->name,
                      bytes, rows);
            last = bytes;
        }
        cr_assert(tessera_workspace_bytes(sampler, -1) == 0);
        expect_error(__FILE__, __LINE__, TEXTS("rows", "-1", "0 .. 8"));
        cr_assert(tessera_workspace_bytes(sampler, 9) == 0);
        expect_error(__FILE__, __LINE__, TEXTS("rows", "9", "0 .. 8"));
        tessera_free(sampler);
    }
}

Test(api_create, a_workspace_is_within_its_limit_where_a_row_is)
{
    static const size_t limits[] = {1, 4096, 65536, (size_t)64 << 20};

    for (EACH_HOST_BACKEND(backend))
        for (size_t i = 0; i < 4; i++) {
            struct tessera_config config = good_config(backend);
            struct tessera_sampler *sampler;

            config.max_rows = INT32_MAX;
            config.workspace_limit = limits[i];
            cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
            size_t one = tessera_workspace_bytes(sampler, 1);
            size_t most = tessera_workspace_bytes(sampler, INT32_MAX);
            cr_assert(one > 0 && most >= one);
            cr_assert(one > limits[i] || most <= limits[i],
                      "%s: %zu bytes, the limit is %zu", backend->name, most,
                      limits[i]);
            tessera_free(sampler);
        }
}

Test(api_create, workspace_create_gives_a_workspace_or_nothing)
{
    for (EACH_HOST_BACKEND(backend)) {
        struct tessera_config config = good_config(backend);
        struct tessera_sampler *sampler;
        void *workspace = &config;
        size_t bytes = 1;

        cr_assert(tessera_create(&config, &sampler) == TESSERA_OK);
        cr_assert(tessera_workspace_create(NULL, 1, &workspace, &bytes) ==
                  TESSERA_BAD_ARGUMENT);
        cr_assert(!workspace && bytes == 0);
        bytes = 1;
        cr_assert(tessera_workspace_create(sampler, 1, NULL, &bytes) ==
                  TESSERA_BAD_ARGUMENT);
        cr_assert(bytes == 0);
        workspace = &config;
        cr_assert(tessera_workspace_create(sampler, 9, &workspace, &bytes) ==
                  TESSERA_BAD_ARGUMENT);
        expect_error(__FILE__, __LINE__, TEXTS("rows", "9", "0 .. 8"));
        cr_assert(!workspace && bytes == 0);

        cr_assert(tessera_workspace_create(sampler, 8, &workspace, &bytes) ==
                  TESSERA_OK);
        cr_assert(workspace && bytes == tessera_workspace_bytes(sampler, 8));
        memset(workspace, 0, bytes);
        tessera_workspace_free(sampler, workspace);
        cr_assert(tessera_workspace_create(sampler, 0, &workspace, NULL) ==
                  TESSERA_OK);
        tessera_workspace_free(NULL, workspace); /* does nothing */
        tessera_workspace_free(sampler, NULL);
        tessera_workspace_free(sampler, workspace);
        tessera_free(sampler);
    }
}

/* API-04 (a): one byte short is refused; the exact size is all that is used,
 * and what lies beyond it is left alone. */
Test(api_create, a_workspace_of_exactly_the_size_is_enough)
{
    enum { GUARD = 256 };

    REFUSED(call.workspace_bytes -= 1, "workspace_bytes", "rows need");
    for (EACH_HOST_BACKEND(backend)) {
        struct call call;

        build_full_call(&call, backend);
        size_t bytes = call.workspace_bytes;
        char *guarded =
            aligned_alloc(16, (GUARD + bytes + GUARD + 15) / 16 * 16);
        void *own = call.workspace;
        memset(guarded, 0x3c, GUARD + bytes + GUARD);
        call.workspace = guarded + GUARD;
        cr_assert(call_run(&call) == TESSERA_OK);
        for (size_t i = 0; i < GUARD; i++)
            cr_assert(guarded[i] == 0x3c && guarded[GUARD + bytes + i] == 0x3c,
                      "%s: written %zu bytes outside the workspace",
                      backend->name, i);
        call.workspace = own;
        free(guarded);
        call_free(&call);
    }
}

Test(api_create, names_and_versions)
{
    cr_assert(strcmp(tessera_status_name(TESSERA_OK), "ok") == 0);
    cr_assert(
        strcmp(tessera_status_name(TESSERA_BAD_ARGUMENT), "bad argument") == 0);
    cr_assert(strcmp(tessera_status_name((enum tessera_status)99),
                     "unknown status") == 0);
    cr_assert(strcmp(tessera_status_name((enum tessera_status) - 1),
                     "unknown status") == 0);
    for (int status = 0; status <= TESSERA_FATAL; status++)
        for (int other = 0; other < status; other++)
            cr_assert(strcmp(tessera_status_name((enum tessera_status)status),
                             tessera_status_name((enum tessera_status)other)));
    cr_assert(strcmp(tessera_version(), "0.1.0") == 0);
    cr_assert(tessera_contract_version() == TESSERA_CONTRACT_VERSION);
}
