/*
 * list.h - an array that grows
 */

#ifndef TESSERA_CLI_LIST_H
#define TESSERA_CLI_LIST_H

#include <stddef.h>
#include <stdlib.h>

/* LIST_INIT(type) starts one; free(list.items) ends it. */
struct list {
    void *items;
    size_t item_bytes;
    size_t count;
    size_t capacity;
};

#define LIST_INIT(type)                                                        \
    {                                                                          \
        NULL, sizeof(type), 0, 0                                               \
    }

/* The new last item, to be filled; NULL: no memory.  Pointers to earlier items
 * are no longer valid. */
static inline void *list_append(struct list *list)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
        size_t bytes;

        if (__builtin_mul_overflow(capacity, list->item_bytes, &bytes))
            return NULL;
        void *items = realloc(list->items, bytes);
        if (!items)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    return (char *)list->items + list->count++ * list->item_bytes;
}

#endif
