/*
 * launches.h - which kernels a sampler ran, and how often
 */

#ifndef TESSERA_CLI_LAUNCHES_H
#define TESSERA_CLI_LAUNCHES_H

#include "backends.h"
#include "list.h"

struct launch_count {
    const char *kernel;
    uint64_t launches;
};

struct launches {
    struct list kernels; /* struct launch_count, in the order first launched */
    bool failed;         /* there was no memory for one of them */
};

#define LAUNCHES_INIT                                                          \
    {                                                                          \
        LIST_INIT(struct launch_count), false                                  \
    }

/* Lets a sampler that is made with this config count its launches here. */
void launches_watch(struct launches *launches, struct tessera_config *config);

/* Prints the kernels that a CUDA backend ran as a line, and of another nothing.
 * CLI_OK, or the status of the line reported: CLI_FAILED where a CUDA backend
 * ran none, since something else then gave the answers. */
int launches_print(const struct launches *launches,
                   const struct backend_choice *backend, bool json);

void launches_free(struct launches *launches);

#endif
