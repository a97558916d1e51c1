/*
 * failing_malloc.c - a library to be preloaded whose k-th allocation fails
 *
 *   FAILING_MALLOC=k              the k-th, from main() on; 0: none
 *   FAILING_MALLOC_FROM=1         and all after it
 *   FAILING_MALLOC_REACHED=FILE   a file made when it came to that
 *
 * glibc only: it is asked for memory by its own names, since dlsym() allocates.
 */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_ulong allocations;
static unsigned long failing; /* 0: none */
static bool and_after;
static const char *reached;

/* Runs once the other libraries are ready: their start is not the command's
 * to answer for. */
__attribute__((constructor)) static void start(void)
{
    const char *number = getenv("FAILING_MALLOC");

    and_after = getenv("FAILING_MALLOC_FROM") != NULL;
    reached = getenv("FAILING_MALLOC_REACHED");
    atomic_store(&allocations, 0);
    failing = number ? strtoul(number, NULL, 10) : 0;
}

static bool fails(void)
{
    if (failing == 0)
        return false;

    unsigned long number = atomic_fetch_add(&allocations, 1) + 1;
    if (number < failing || (number > failing && !and_after))
        return false;
    if (number == failing && reached) {
        int file = open(reached, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

        if (file >= 0)
            close(file);
    }
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *given = fails() ? NULL : __libc_memalign(alignment, bytes);

    if (!given)
        return ENOMEM;
    *memory = given;
    return 0;
}
