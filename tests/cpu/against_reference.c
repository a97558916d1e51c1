/*
 * against_reference.c - rows asked of the CPU backend, each way it can go about
 * them, and of the reference
 */

#include "against_reference.h"

#include "../../host/cpu/variants.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

const char *variant_name(size_t index)
{
    const struct cpu_loops *loops = tessera_cpu_variant_at(index);

    return loops ? loops->name : NULL;
}

static void same_answer(const char *file, int line, const char *variant,
                        int32_t threads, size_t row,
                        const struct row_result *given,
                        const struct row_result *wanted)
{
    size_t listed = 0;

    while (listed < TOP_N - 1 &&
           given->top_tokens[listed] == wanted->top_tokens[listed] &&
           given->top_logprobs[listed] == wanted->top_logprobs[listed])
        listed++;
    cr_assert(memcmp(given, wanted, sizeof(*given)) == 0,
              "%s:%d: %s, %d threads, row %zu: token %d, not %d; n_kept %d, "
              "not %d; sum %llu, not %llu; status %u, not %u; "
              "log-probabilities %08x %08x, not %08x %08x; rank %d, not %d; "
              "top token %zu is %d with %08x, not %d with %08x",
              file, line, variant, threads, row, given->token, wanted->token,
              given->n_kept, wanted->n_kept,
              (unsigned long long)given->weight_sum,
              (unsigned long long)wanted->weight_sum, given->status,
              wanted->status, given->logprob, given->raw_logprob,
              wanted->logprob, wanted->raw_logprob, given->rank, wanted->rank,
              listed, given->top_tokens[listed], given->top_logprobs[listed],
              wanted->top_tokens[listed], wanted->top_logprobs[listed]);
}

/* The answers of one variant with each number of threads. */
static void ask_variant(const char *file, int line, const char *variant,
                        struct call *reference, const struct row_result *wanted,
                        size_t count)
{
    static const int32_t thread_counts[] = {1, 2, 7};
    static const struct backend cpu = {TESSERA_DEVICE_CPU, "cpu"};

    setenv("TESSERA_CPU_VARIANT", variant, 1);
    for (size_t i = 0; i < 3; i++) {
        struct call call = *reference;

        call.config.device = cpu.device;
        call.config.threads = thread_counts[i];
        call.config.workspace_limit = SIZE_MAX;
        cr_assert(tessera_create(&call.config, &call.sampler) == TESSERA_OK,
                  "%s: %s", variant, tessera_last_error());
        cr_assert(tessera_workspace_create(
                      call.sampler, (int32_t)count, &call.workspace,
                      &call.workspace_bytes) == TESSERA_OK);
        memset(call.workspace, 0xa5, call.workspace_bytes);
        cr_assert(call_run(&call) == TESSERA_OK, "%s", tessera_last_error());
        for (size_t row = 0; row < count; row++) {
            struct row_result given = call_result(&call, row);

            same_answer(file, line, variant, thread_counts[i], row, &given,
                        &wanted[row]);
        }
        tessera_workspace_free(call.sampler, call.workspace);
        tessera_free(call.sampler);
    }
    unsetenv("TESSERA_CPU_VARIANT");
}

void expect_reference(const char *file, int line, const struct test_row *rows,
                      size_t count, const struct layout *layout)
{
    static const struct backend backend = {TESSERA_DEVICE_REFERENCE,
                                           "reference"};
    struct row_result *wanted = malloc(count * sizeof(*wanted));
    struct layout asked = *layout;

    for (int raw = 0; raw < 2; raw++) {
        struct call call;

        asked.top_raw = raw != 0;
        call_build(&call, &backend, rows, count, &asked, NULL);
        cr_assert(call_run(&call) == TESSERA_OK, "%s", tessera_last_error());
        for (size_t row = 0; row < count; row++)
            wanted[row] = call_result(&call, row);
        for (size_t i = 0; variant_name(i); i++)
            ask_variant(file, line, variant_name(i), &call, wanted, count);
        call_free(&call);
    }
    free(wanted);
}
