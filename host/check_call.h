/*
 * check_call.h - what is wrong with a call
 *
 * Each returns TESSERA_OK, or an error whose text names the argument, its
 * value and its range.  Only host memory is read: the structs of the call, not
 * what their pointers point to.
 */

#ifndef TESSERA_CHECK_CALL_H
#define TESSERA_CHECK_CALL_H

#include "sampler.h"

/* Copies a caller's config, batch or outputs, compiled with this version of the
 * header or with a later one whose new fields are 0, into this library's. */
enum tessera_status tessera_read_config(const struct tessera_config *given,
                                        struct tessera_config *config);
enum tessera_status tessera_read_batch(const struct tessera_batch *given,
                                       struct tessera_batch *batch);
enum tessera_status tessera_read_outputs(const struct tessera_outputs *given,
                                         struct tessera_outputs *outputs);

enum tessera_status tessera_check_config(const struct tessera_config *config);

enum tessera_status tessera_check_rows(const struct tessera_sampler *sampler,
                                       int32_t rows, const char *name);

/* For a batch of at least one row, within max_rows. */
enum tessera_status tessera_check_batch(const struct tessera_sampler *sampler,
                                        const struct tessera_batch *batch);
enum tessera_status
tessera_check_outputs(const struct tessera_sampler *sampler,
                      const struct tessera_outputs *outputs);
enum tessera_status
tessera_check_workspace(const struct tessera_sampler *sampler, int32_t rows,
                        const void *workspace, size_t workspace_bytes);

#endif
