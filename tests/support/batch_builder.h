/*
 * batch_builder.h - rows written one by one, run as a batch on a backend
 *
 * A test writes what one row is; the builder lays rows out as a batch, every
 * array in an allocation of exactly its size, so that a read past its end is
 * seen by AddressSanitizer.
 */

#ifndef TESSERA_TESTS_BATCH_BUILDER_H
#define TESSERA_TESTS_BATCH_BUILDER_H

#include <tessera.h>

#include <stdbool.h>

/* A backend of this build that is there on this machine. */
struct backend {
    enum tessera_device device;
    const char *name;
};

/* The backend after 'previous', or the first; NULL past the last.  Fails the
 * test when there is none at all.  With 'host_memory', those alone that work in
 * host memory. */
const struct backend *next_backend(const struct backend *previous,
                                   bool host_memory);

/* for (EACH_BACKEND(backend)) ... */
#define EACH_BACKEND(backend)                                                  \
    const struct backend *backend = NULL;                                      \
    (backend = next_backend(backend, false));

/* The same for tests that hand host memory to tessera_sample() themselves. */
#define EACH_HOST_BACKEND(backend)                                             \
    const struct backend *backend = NULL;                                      \
    (backend = next_backend(backend, true));

/* Lists, as they stand in a test: row.prompt = IDS(0, 1, 2, 2). */
struct id_list {
    const int32_t *ids;
    size_t count;
};

struct bias_list {
    const struct tessera_bias *biases;
    size_t count;
};

#define IDS(...)                                                               \
    ((struct id_list){(const int32_t[]){__VA_ARGS__},                          \
                      sizeof((const int32_t[]){__VA_ARGS__}) /                 \
                          sizeof(int32_t)})
#define BIASES(...)                                                            \
    ((struct bias_list){(const struct tessera_bias[]){__VA_ARGS__},            \
                        sizeof((const struct tessera_bias[]){__VA_ARGS__}) /   \
                            sizeof(struct tessera_bias)})

/* One row and all that belongs to it. */
struct test_row {
    enum tessera_dtype type;
    int32_t vocab;
    const void *logits; /* [vocab] of type */
    struct tessera_params params;
    struct id_list prompt;
    struct id_list generated;
    struct bias_list bias;
    struct id_list bans;
    const uint32_t *mask; /* [(vocab + 31) / 32]; NULL: none */
    float maximum;        /* what the call says of it; NaN: nothing */
};

/* Whether TESSERA_QUICK_TESTS asks for fewer rows where kernels run on the CPU
 * (tests/vgpu), a thousandth of a GPU's speed. */
bool tests_are_quick(void);

/* A row as cases.md has it: everything off, temperature 1, seed 42. */
struct test_row row_of(enum tessera_dtype type, int32_t vocab,
                       const void *logits);

#define ROW(...)                                                               \
    row_of(TESSERA_FLOAT32,                                                    \
           (int32_t)(sizeof((const float[]){__VA_ARGS__}) / sizeof(float)),    \
           (const float[]){__VA_ARGS__})
/* Of binary16 or bfloat16, written as bits. */
#define ROW_OF_BITS(type, ...)                                                 \
    row_of(                                                                    \
        type,                                                                  \
        (int32_t)(sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t)), \
        (const uint16_t[]){__VA_ARGS__})

/* A temperature for which c is exactly 1: a token that is g below the best, g
 * an integer, then weighs exactly 2^(40-g). */
#define UNIT_TEMPERATURE 0x1.715476p+0f

/* The weight of the best token. */
#define ONE (UINT64_C(1) << 40)

enum { TOP_N = TESSERA_MAX_TOP_LOGPROBS };

/* All that a call says of a row, log-probabilities as bits. */
struct row_result {
    int32_t token;
    uint32_t logprob;
    uint32_t raw_logprob;
    int32_t rank;
    int32_t n_kept;
    uint32_t status;
    uint64_t weight_sum;
    int32_t top_tokens[TOP_N];
    uint32_t top_logprobs[TOP_N];
};

#define MINUS_INFINITY_BITS 0xff800000u

/* How rows stand in memory; all 0: one after another, nothing shared. */
struct layout {
    /* Rows with the same logits or mask pointer share one through row_index
     * and mask_index, which point into tables in another order.  Otherwise
     * row_index is NULL.  Arrays of which no row has anything are there. */
    bool shared;

    /* Elements between rows of logits (+inf and NaN in turn), and before the
     * first, so that the base is aligned to an element and no better. */
    int64_t logits_gap;
    int64_t logits_shift;

    /* Bytes after each row's params, a multiple of 8. */
    size_t params_gap;

    /* With TESSERA_MEMORY_SAMPLER the call's bounds are the tightest. */
    enum tessera_memory params_memory;

    /* The lists of top tokens are raw ones. */
    bool top_raw;
};

enum { CALL_ARRAYS = 32 };

/* A call ready to be made: its fields may be changed before it is. */
struct call {
    struct tessera_config config;
    struct tessera_sampler *sampler;
    void *workspace;
    size_t workspace_bytes;
    struct tessera_batch batch;
    struct tessera_outputs outputs;

    /* What the builder allocated, and how long each is; inputs come first. */
    void *arrays[CALL_ARRAYS];
    size_t array_bytes[CALL_ARRAYS];
    size_t array_count;
    size_t input_count;
};

/* The batch and the outputs of a call; call_build() does the rest. */
void build_batch(struct call *call, const struct test_row *rows, size_t count,
                 const struct layout *layout);

/* Lays out rows, all of one vocab and type, as a call that wants every output,
 * the lists TOP_N long.  Outputs and workspace hold a poison.  'config' may be
 * NULL: just large enough for the rows. */
void call_build(struct call *call, const struct backend *backend,
                const struct test_row *rows, size_t count,
                const struct layout *layout,
                const struct tessera_config *config);

/* Makes the call.  Fails the test when an input array changes, but params with
 * advance_step. */
enum tessera_status call_run(struct call *call);

/* What the call wrote of a row.  Outputs not wanted read as 0. */
struct row_result call_result(const struct call *call, size_t row);

void call_free(struct call *call);

/* Builds, runs, reads and frees; the call must succeed. */
void run_rows(const struct backend *backend, const struct test_row *rows,
              size_t count, const struct layout *layout,
              struct row_result *results);

/* Bits of enum tessera_stage that params use. */
uint32_t stages_of(const struct tessera_params *params);

#endif
