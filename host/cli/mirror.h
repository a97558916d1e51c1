/*
 * mirror.h - sample a batch in host memory, wherever the sampler's side is
 */

#ifndef TESSERA_CLI_MIRROR_H
#define TESSERA_CLI_MIRROR_H

#include <tessera.h>

/*
 * As tessera_sample(), for a batch and outputs that are in host memory.  For a
 * sampler of host memory it is that call; for another, what they point to is
 * copied to the sampler's side, at the same misalignment to 256 bytes, and back
 * after the call.  The workspace is on the sampler's side.
 *
 *   config  What the sampler was made with.
 *
 * Copies what a valid row may read: an entry that only an invalid row points at
 * is not looked for.
 */
enum tessera_status mirror_sample(const struct tessera_sampler *sampler,
                                  const struct tessera_config *config,
                                  void *workspace, size_t workspace_bytes,
                                  const struct tessera_batch *batch,
                                  const struct tessera_outputs *outputs);

#endif
