/*
 * api.c - the entry points
 *
 * Each checks its arguments, then hands over to the sampler's backend.
 */

#include "check_call.h"
#include "environment.h"
#include "error.h"

#include <stdlib.h>

#define STRING_OF_(x) #x
#define STRING_OF(x) STRING_OF_(x)

const char *tessera_version(void)
{
    return STRING_OF(TESSERA_VERSION_MAJOR) "." STRING_OF(
        TESSERA_VERSION_MINOR) "." STRING_OF(TESSERA_VERSION_PATCH);
}

int32_t tessera_contract_version(void)
{
    return TESSERA_CONTRACT_VERSION;
}

const struct tessera_backend *tessera_backend_of(enum tessera_device device)
{
    switch (device) {
    case TESSERA_DEVICE_REFERENCE:
        return &tessera_reference_backend;
    case TESSERA_DEVICE_CPU:
        return &tessera_cpu_backend;
    case TESSERA_DEVICE_CUDA:
        return &tessera_cuda_backend;
    }
    return NULL;
}

int32_t tessera_device_count(enum tessera_device device)
{
    const struct tessera_backend *backend = tessera_backend_of(device);
    const char *why;

    return backend ? backend->device_count(&why) : 0;
}

static enum tessera_status null_argument(const char *name)
{
    return tessera_fail(TESSERA_BAD_ARGUMENT, "%s is NULL; it is required",
                        name);
}

enum tessera_status tessera_create(const struct tessera_config *config,
                                   struct tessera_sampler **sampler)
{
    if (!sampler)
        return null_argument("sampler");
    *sampler = NULL;

    struct tessera_config known;
    enum tessera_status status = tessera_read_config(config, &known);
    if (status == TESSERA_OK)
        status = tessera_check_config(&known);
    if (status != TESSERA_OK)
        return status;

    struct tessera_sampler *made = calloc(1, sizeof(*made));
    if (!made)
        return tessera_fail(TESSERA_OUT_OF_MEMORY,
                            "a sampler of %zu bytes could not be allocated",
                            sizeof(*made));
    made->config = known;
    made->backend = tessera_backend_of(known.device);
    if (made->backend->create) {
        status = made->backend->create(made);
        if (status != TESSERA_OK) {
            free(made);
            return status;
        }
    }
    *sampler = made;
    return TESSERA_OK;
}

void tessera_free(struct tessera_sampler *sampler)
{
    if (!sampler)
        return;
    if (sampler->backend->destroy)
        sampler->backend->destroy(sampler);
    free(sampler);
}

size_t tessera_workspace_bytes(const struct tessera_sampler *sampler,
                               int32_t rows)
{
    if (!sampler) {
        null_argument("sampler");
        return 0;
    }
    if (tessera_check_rows(sampler, rows, "rows") != TESSERA_OK)
        return 0;
    return sampler->backend->workspace_bytes(sampler, rows);
}

enum tessera_status
tessera_workspace_create(const struct tessera_sampler *sampler, int32_t rows,
                         void **workspace, size_t *workspace_bytes)
{
    if (workspace_bytes)
        *workspace_bytes = 0;
    if (!workspace)
        return null_argument("workspace");
    *workspace = NULL;
    if (!sampler)
        return null_argument("sampler");

    enum tessera_status status = tessera_check_rows(sampler, rows, "rows");
    if (status != TESSERA_OK)
        return status;

    size_t bytes = sampler->backend->workspace_bytes(sampler, rows);
    if (bytes == 0)
        return tessera_last_status();
    status = sampler->backend->memory_create(sampler, bytes, workspace);
    if (status == TESSERA_OK && workspace_bytes)
        *workspace_bytes = bytes;
    return status;
}

void tessera_workspace_free(const struct tessera_sampler *sampler,
                            void *workspace)
{
    tessera_memory_free(sampler, workspace);
}

enum tessera_status tessera_memory_create(const struct tessera_sampler *sampler,
                                          size_t bytes, void **memory)
{
    if (!memory)
        return null_argument("memory");
    *memory = NULL;
    if (!sampler)
        return null_argument("sampler");
    if (bytes == 0)
        return tessera_fail(TESSERA_BAD_ARGUMENT,
                            "bytes is 0; its range is 1 and above");
    return sampler->backend->memory_create(sampler, bytes, memory);
}

static enum tessera_status check_copy(const struct tessera_sampler *sampler,
                                      const void *to, const void *from)
{
    if (!sampler)
        return null_argument("sampler");
    if (!to)
        return null_argument("to");
    return from ? TESSERA_OK : null_argument("from");
}

enum tessera_status tessera_memory_write(const struct tessera_sampler *sampler,
                                         void *to, const void *from,
                                         size_t bytes)
{
    enum tessera_status status = check_copy(sampler, to, from);

    if (status != TESSERA_OK)
        return status;
    return sampler->backend->memory_write(sampler, to, from, bytes);
}

enum tessera_status tessera_memory_read(const struct tessera_sampler *sampler,
                                        void *to, const void *from,
                                        size_t bytes)
{
    enum tessera_status status = check_copy(sampler, to, from);

    if (status != TESSERA_OK)
        return status;
    return sampler->backend->memory_read(sampler, to, from, bytes);
}

void tessera_memory_free(const struct tessera_sampler *sampler, void *memory)
{
    if (sampler && memory)
        sampler->backend->memory_free(sampler, memory);
}

enum tessera_status tessera_sample(const struct tessera_sampler *sampler,
                                   void *workspace, size_t workspace_bytes,
                                   const struct tessera_batch *batch,
                                   const struct tessera_outputs *outputs,
                                   tessera_stream stream)
{
    struct tessera_batch known_batch;
    struct tessera_outputs known_outputs;
    enum tessera_status status;

    if (!sampler)
        return null_argument("sampler");
    if ((status = tessera_read_batch(batch, &known_batch)) != TESSERA_OK ||
        (status = tessera_read_outputs(outputs, &known_outputs)) !=
            TESSERA_OK ||
        (status = tessera_check_rows(sampler, known_batch.rows,
                                     "batch.rows")) != TESSERA_OK)
        return status;
    if (known_batch.rows == 0)
        return TESSERA_OK;
    if ((status = tessera_check_workspace(sampler, known_batch.rows, workspace,
                                          workspace_bytes)) != TESSERA_OK ||
        (status = tessera_check_batch(sampler, &known_batch)) != TESSERA_OK ||
        (status = tessera_check_outputs(sampler, &known_outputs)) != TESSERA_OK)
        return status;

    fenv_t saved;
    tessera_environment_enter(&saved);
    status = sampler->backend->sample(sampler, workspace, &known_batch,
                                      &known_outputs, stream);
    tessera_environment_leave(&saved);
    return status;
}
