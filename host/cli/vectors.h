/*
 * vectors.h - conformance vectors: questions with their answers, as text
 *
 * tests/vectors/README.md describes the format.  The text may come from
 * anywhere: whatever its bytes, the reader answers with a case or with one
 * line that says what is wrong, and takes no more memory than a small multiple
 * of the text.
 */

#ifndef TESSERA_CLI_VECTORS_H
#define TESSERA_CLI_VECTORS_H

#include "gauss.h"

#include <tessera.h>

#include <stdbool.h>

/* Most steps, and most entries of a history or of a list of bans. */
#define VECTOR_MAX_STEPS (1 << 20)
#define VECTOR_MAX_ENTRIES (1 << 26)

enum vector_kind { VECTOR_EMPTY, VECTOR_GREEDY, VECTOR_DRAW };

/* Which fields say something depends on the kind: see the format.  Floats are
 * the bits of a binary32. */
struct vector_answer {
    enum vector_kind kind;
    bool nan;

    uint32_t max;        /* of the best logit after edits */
    int32_t in;          /* tokens in after edits */
    int32_t after_top_k; /* kept by top-k, by top-p and by min-p */
    int32_t after_top_p;
    int32_t n_kept;
    uint64_t weight_sum;

    /* [steps] of a draw; [1] of a greedy row: the same at every step. */
    int32_t *tokens;

    /* Of the first token: processed and raw. */
    uint32_t logprob;
    uint32_t raw_logprob;
};

struct vector_case {
    size_t line; /* the question's, from 1 */

    enum tessera_dtype dtype;
    int32_t vocab;
    struct tessera_params params; /* step is the first of 'steps' */
    int32_t steps;

    /* Lists are NULL when they have no entry. */
    int32_t *history; /* the prompt, then what was generated */
    int32_t history_length;
    int32_t prompt_length;
    struct tessera_bias *biases; /* ids ascending */
    int32_t bias_count;
    int32_t *bans;
    int32_t ban_count;

    /* [vocab] elements of dtype; NULL when 'gauss' makes them. */
    void *logits;
    struct gauss gauss;

    struct vector_answer answer;
};

/* Where the reader stands.  VECTOR_READER_INIT(bytes, size) starts it; the
 * bytes stay the caller's. */
struct vector_reader {
    const char *next;
    const char *end;
    size_t line; /* of 'next', from 1 */
};

#define VECTOR_READER_INIT(bytes, size)                                        \
    {                                                                          \
        (bytes), (bytes) + (size), 1                                           \
    }

enum vector_result {
    VECTOR_READ,     /* a case; vector_free() it */
    VECTOR_END,      /* nothing is left */
    VECTOR_MALFORMED /* 'error' says what is wrong, or that no memory was left
                      * to read it, and errno is ENOMEM then and only then;
                      * nothing is to be freed */
};

#define VECTOR_ERROR_BYTES 256

/* Reads the next question and its answer.  'error' is [VECTOR_ERROR_BYTES] and
 * is written only after a failure: one line without its end, of printable
 * characters, with the number of the line and the name of the field. */
enum vector_result vector_next(struct vector_reader *reader,
                               struct vector_case *read, char *error);

/* Frees what the case holds; one of all zeros holds nothing. */
void vector_free(struct vector_case *read);

/* The case's logits, [vocab] of its dtype, made or copied: the caller frees
 * them.  NULL: no memory. */
void *vector_logits(const struct vector_case *read);

/* Reads a file up to its end or its first zero byte, which is the last then.
 * NULL: 'error' ([VECTOR_ERROR_BYTES]) says why not, in one line, as does
 * errno. */
char *vectors_load(const char *path, size_t *size, char *error);

#endif
