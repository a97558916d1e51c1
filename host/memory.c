/*
 * memory.c - the memory functions of backends that work in host memory
 */

#include "memory.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

enum tessera_status
tessera_host_memory_create(const struct tessera_sampler *sampler, size_t bytes,
                           void **memory)
{
    (void)sampler;
    *memory = malloc(bytes);
    if (!*memory)
        return tessera_fail(TESSERA_OUT_OF_MEMORY,
                            "%zu bytes of memory could not be allocated",
                            bytes);
    return TESSERA_OK;
}

enum tessera_status
tessera_host_memory_copy(const struct tessera_sampler *sampler, void *to,
                         const void *from, size_t bytes)
{
    (void)sampler;
    memcpy(to, from, bytes);
    return TESSERA_OK;
}

void tessera_host_memory_free(const struct tessera_sampler *sampler,
                              void *memory)
{
    (void)sampler;
    free(memory);
}
