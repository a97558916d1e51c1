/*
 * cpu.c - the fast CPU backend: select instead of sort, rows over threads
 *
 * The answers are the reference's.  A sampler chooses its instruction set and
 * its number of threads when it is made; a call lays out a scratch for each
 * thread in the workspace, and each thread takes the next row.
 */

#include "../memory.h"
#include "../environment.h"
#include "../error.h"
#include "row_answer.h"
#include "variants.h"

#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* Logits of a call for each thread that takes part: starting one costs about
 * as much as reading these. */
#define TOKENS_A_THREAD 65536

struct cpu {
    const struct cpu_loops *loops;
    size_t scratch_bytes;
    int32_t threads;
};

static int32_t device_count(const char **why)
{
    (void)why; /* always there */
    return 1;
}

/* Workspaces are aligned to 16 bytes, scratches to 64. */
#define SCRATCH_ALIGNMENT 64

/* As asked for, and no more than the workspace has room for. */
static int32_t thread_count(const struct tessera_config *config,
                            size_t bytes_each)
{
    size_t threads = (size_t)config->threads;
    size_t limit = config->workspace_limit;
    size_t room = limit > SCRATCH_ALIGNMENT
                      ? (limit - SCRATCH_ALIGNMENT) / bytes_each
                      : 0;

#ifdef _OPENMP
    if (threads == 0)
        threads = (size_t)omp_get_max_threads();
#else
    threads = 1;
#endif
    if (threads > room)
        threads = room > 0 ? room : 1;
    return (int32_t)threads;
}

static enum tessera_status create(struct tessera_sampler *sampler)
{
    struct cpu *cpu = malloc(sizeof(*cpu));
    enum tessera_status status;

    if (!cpu)
        return tessera_fail(TESSERA_OUT_OF_MEMORY,
                            "a sampler of %zu bytes could not be allocated",
                            sizeof(*cpu));
    status = tessera_cpu_variant(&cpu->loops);
    if (status != TESSERA_OK) {
        free(cpu);
        return status;
    }
    cpu->scratch_bytes = scratch_bytes(&sampler->config);
    cpu->threads = thread_count(&sampler->config, cpu->scratch_bytes);
    sampler->state = cpu;
    return TESSERA_OK;
}

static void destroy(struct tessera_sampler *sampler)
{
    free(sampler->state);
}

static int32_t most_threads(const struct cpu *cpu, int32_t rows)
{
    int32_t threads = rows < cpu->threads ? rows : cpu->threads;

    return threads > 0 ? threads : 1;
}

static size_t workspace_bytes(const struct tessera_sampler *sampler,
                              int32_t rows)
{
    const struct cpu *cpu = sampler->state;

    return (size_t)most_threads(cpu, rows) * cpu->scratch_bytes +
           SCRATCH_ALIGNMENT;
}

/* A call, as its threads see it. */
struct call {
    const struct tessera_sampler *sampler;
    const struct tessera_batch *batch;
    const struct tessera_outputs *outputs;
};

static void sample_row(const struct call *call, int32_t row,
                       struct scratch *scratch)
{
    size_t tokens = (size_t)call->sampler->config.vocab;
    struct tessera_question question;
    struct tessera_answer answer;

    if (tessera_question_read(call->sampler, call->batch, row, &question))
        answer_row(&question, tokens, call->outputs, scratch, &answer);
    else
        answer = tessera_no_answer(TESSERA_ROW_INVALID);
    tessera_answer_write(&answer, call->outputs, row);
    tessera_batch_advance(call->batch, row);
}

static enum tessera_status sample(const struct tessera_sampler *sampler,
                                  void *workspace,
                                  const struct tessera_batch *batch,
                                  const struct tessera_outputs *outputs,
                                  tessera_stream stream)
{
    const struct cpu *cpu = sampler->state;
    const struct call call = {sampler, batch, outputs};
    size_t padding = -(uintptr_t)workspace % SCRATCH_ALIGNMENT;
    char *memory = (char *)workspace + padding;
    int64_t tokens = (int64_t)batch->rows * sampler->config.vocab;
    int32_t threads = most_threads(cpu, batch->rows);

    (void)stream;
    if (tokens / TOKENS_A_THREAD < threads)
        threads = (int32_t)(tokens / TOKENS_A_THREAD);
    if (threads <= 1) {
        struct scratch scratch;

        scratch_carve(&scratch, cpu->loops, &sampler->config, memory);
        for (int32_t row = 0; row < batch->rows; row++)
            sample_row(&call, row, &scratch);
        return TESSERA_OK;
    }
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    {
        size_t thread = (size_t)omp_get_thread_num();
        struct scratch scratch;
        fenv_t saved;

        tessera_environment_enter(&saved);
        scratch_carve(&scratch, cpu->loops, &sampler->config,
                      memory + thread * cpu->scratch_bytes);
#pragma omp for schedule(dynamic)
        for (int32_t row = 0; row < batch->rows; row++)
            sample_row(&call, row, &scratch);
        tessera_environment_leave(&saved);
    }
#endif
    return TESSERA_OK;
}

const struct tessera_backend tessera_cpu_backend = {
    .name = "cpu",
    .device_count = device_count,
    .create = create,
    .destroy = destroy,
    .workspace_bytes = workspace_bytes,
    .memory_create = tessera_host_memory_create,
    .memory_write = tessera_host_memory_copy,
    .memory_read = tessera_host_memory_copy,
    .memory_free = tessera_host_memory_free,
    .sample = sample,
};
