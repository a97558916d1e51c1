/*
 * api_call.h - a call that uses everything, to be spoiled in one place
 */

#ifndef TESSERA_TESTS_API_CALL_H
#define TESSERA_TESTS_API_CALL_H

#include "batch_builder.h"

enum { API_VOCAB = 40, API_ROWS = 3, API_MAX_ROWS = 4, API_TOP_N = 5 };

/* A call of API_ROWS rows of float32 with history, bias, bans, masks and
 * params on the sampler's side, for a sampler that may have API_MAX_ROWS. */
void build_full_call(struct call *call, const struct backend *backend);

/* The call is refused with an error that has all of 'texts' in it, and nothing
 * was written. */
struct texts {
    const char *const *text;
    size_t count;
};

#define TEXTS(...)                                                             \
    ((struct texts){(const char *const[]){__VA_ARGS__},                        \
                    sizeof((const char *const[]){__VA_ARGS__}) /               \
                        sizeof(const char *)})

void expect_refused(const char *file, int line, const struct backend *backend,
                    struct call *call, struct texts texts);

/* On every backend: REFUSED(call.batch.rows = 5, "batch.rows", "5", ...).  The
 * texts are the argument's name, its value and its range. */
#define REFUSED(change, ...)                                                   \
    for (EACH_BACKEND(backend)) {                                              \
        struct call whole;                                                     \
        struct call call;                                                      \
        build_full_call(&whole, backend);                                      \
        call = whole;                                                          \
        change;                                                                \
        expect_refused(__FILE__, __LINE__, backend, &call,                     \
                       TEXTS(__VA_ARGS__));                                    \
        call_free(&whole);                                                     \
    }

/* Fails unless the last error has all of the texts in it. */
void expect_error(const char *file, int line, struct texts texts);

#endif
