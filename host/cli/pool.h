/*
 * pool.h - the arrays of a batch, allocated one by one and freed together
 */

#ifndef TESSERA_CLI_POOL_H
#define TESSERA_CLI_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define POOL_ARRAYS 32

/* One of all zeros is empty. */
struct pool {
    void *arrays[POOL_ARRAYS];
    size_t count;
    bool failed; /* there was no memory for one of them */
};

/* An array of zeros, at most POOL_ARRAYS of them in all.  NULL only when it
 * makes the pool a failed one. */
static inline void *pool_take(struct pool *pool, size_t count, size_t bytes)
{
    void *array = calloc(count > 0 ? count : 1, bytes);

    pool->failed |= !array;
    pool->arrays[pool->count++] = array;
    return array;
}

static inline void pool_free(struct pool *pool)
{
    while (pool->count > 0)
        free(pool->arrays[--pool->count]);
    pool->failed = false;
}

#endif
