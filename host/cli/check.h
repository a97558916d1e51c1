/*
 * check.h - the two things that tessera check can do
 *
 * Both print what differs, what each CUDA backend ran, and last the numbers of
 * answers; they return the exit status.
 */

#ifndef TESSERA_CLI_CHECK_H
#define TESSERA_CLI_CHECK_H

#include "request.h"

/* Compares the backends' answers to a request with the reference's. */
int check_logits(const struct options *options, const struct request *request,
                 const struct backend_choice *choices, size_t choice_count);

/* Compares the backends' answers to the questions of a vectors file with those
 * that the file gives. */
int check_vectors(const char *path, const struct backend_choice *choices,
                  size_t choice_count, bool json);

#endif
