/*
 * sampler.h - what a sampler is, and the table of backends
 *
 * A backend is a table of functions.  The API checks every call before it
 * reaches one, so a backend may take its arguments as they are.
 */

#ifndef TESSERA_SAMPLER_H
#define TESSERA_SAMPLER_H

#include <tessera.h>

#define TESSERA_WORKSPACE_ALIGNMENT 16

struct tessera_backend {
    const char *name;

    /* How many devices it can work on, here and now.  Where there is none,
     * *why says in words why, until this thread asks again. */
    int32_t (*device_count)(const char **why);

    /* Loads and allocates what the sampler needs for its life into
     * sampler->state; may put another table into sampler->backend.  NULL:
     * nothing.  After a failure nothing is left. */
    enum tessera_status (*create)(struct tessera_sampler *sampler);
    void (*destroy)(struct tessera_sampler *sampler);

    /* As the public functions of these names; arguments are checked.
     * workspace_bytes() that fails answers 0, after tessera_fail(). */
    size_t (*workspace_bytes)(const struct tessera_sampler *sampler,
                              int32_t rows);
    enum tessera_status (*memory_create)(const struct tessera_sampler *sampler,
                                         size_t bytes, void **memory);
    enum tessera_status (*memory_write)(const struct tessera_sampler *sampler,
                                        void *to, const void *from,
                                        size_t bytes);
    enum tessera_status (*memory_read)(const struct tessera_sampler *sampler,
                                       void *to, const void *from,
                                       size_t bytes);
    void (*memory_free)(const struct tessera_sampler *sampler, void *memory);
    enum tessera_status (*sample)(const struct tessera_sampler *sampler,
                                  void *workspace,
                                  const struct tessera_batch *batch,
                                  const struct tessera_outputs *outputs,
                                  tessera_stream stream);
};

struct tessera_sampler {
    struct tessera_config config;
    const struct tessera_backend *backend;
    void *state; /* the backend's own */
};

/* The backend of a device; NULL for what is not a device. */
const struct tessera_backend *tessera_backend_of(enum tessera_device device);

extern const struct tessera_backend tessera_reference_backend;
extern const struct tessera_backend tessera_cpu_backend;
extern const struct tessera_backend tessera_cuda_backend;

static inline size_t tessera_dtype_bytes(enum tessera_dtype type)
{
    return type == TESSERA_FLOAT32 ? 4 : 2;
}

#endif
