/*
 * memory.h - the memory functions of backends that work in host memory
 */

#ifndef TESSERA_MEMORY_H
#define TESSERA_MEMORY_H

#include <tessera.h>

enum tessera_status
tessera_host_memory_create(const struct tessera_sampler *sampler, size_t bytes,
                           void **memory);
enum tessera_status
tessera_host_memory_copy(const struct tessera_sampler *sampler, void *to,
                         const void *from, size_t bytes);
void tessera_host_memory_free(const struct tessera_sampler *sampler,
                              void *memory);

#endif
