/*
 * mirror.h - sample a batch in host memory, wherever the sampler's side is
 */

#ifndef TESSERA_CLI_MIRROR_H
#define TESSERA_CLI_MIRROR_H

#include <tessera.h>

#include <stdbool.h>

/* The inputs and outputs of a batch, each once. */
#define MIRROR_ARRAYS 32

struct mirrored {
    void *host; /* written back at the end, if it is an output */
    void *memory;
    void *there;
    size_t bytes;
    bool output;
};

/* Copies of a batch's arrays on the sampler's side. */
struct mirror {
    const struct tessera_sampler *sampler;
    struct mirrored arrays[MIRROR_ARRAYS];
    int count;
    enum tessera_status status; /* of the first copy that failed */
};

/*
 * Copies what the batch and the outputs point to, which is in host memory, to
 * the sampler's side, at the same misalignment to 256 bytes, and lets them
 * point there.  mirror_end() in both cases: it copies the outputs back, if
 * they are wanted, and returns the status of the first copy that failed.
 *
 *   config  What the sampler was made with.
 *
 * Copies what a valid row may read: an entry that only an invalid row points at
 * is not looked for.
 */
enum tessera_status mirror_begin(struct mirror *mirror,
                                 const struct tessera_sampler *sampler,
                                 const struct tessera_config *config,
                                 struct tessera_batch *batch,
                                 struct tessera_outputs *outputs);
enum tessera_status mirror_end(struct mirror *mirror, bool write_back);

/*
 * As tessera_sample(), for a batch and outputs that are in host memory.  For a
 * sampler of host memory it is that call; for another, they are mirrored around
 * it.  The workspace is on the sampler's side.
 */
enum tessera_status mirror_sample(const struct tessera_sampler *sampler,
                                  const struct tessera_config *config,
                                  void *workspace, size_t workspace_bytes,
                                  const struct tessera_batch *batch,
                                  const struct tessera_outputs *outputs);

#endif
