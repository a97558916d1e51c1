/*
 * sample_call.h - a call of tessera_sample() made of bytes
 *
 * The call is in order: whatever is wrong is wrong with a row, and within the
 * arrays.  Every array is an allocation of its size, aligned to its type and no
 * better, so that AddressSanitizer sees what is read or written past it.
 */

#ifndef TESSERA_TESTS_FUZZ_SAMPLE_CALL_H
#define TESSERA_TESTS_FUZZ_SAMPLE_CALL_H

#include "bytes.h"

#include "../support/oracle.h"

enum {
    MOST_ROWS = 8,
    MOST_VOCAB = 200,
    MOST_ARRAYS = 32,
    OUTPUT_ARRAYS = 9,
    FILL = 0xa5 /* of outputs, and of what stands before an array */
};

struct array {
    uint8_t *memory; /* what is freed */
    size_t shift;    /* bytes of FILL before the array */
    size_t bytes;    /* of the array */
    uint8_t *before; /* a copy of it all, made when the batch was */
};

struct sample_call {
    struct tessera_config config; /* device is the reference */
    struct tessera_batch batch;

    /* Which outputs are wanted, as bits; top_n and top_raw. */
    uint32_t wanted;
    struct tessera_outputs outputs;

    struct array arrays[MOST_ARRAYS];
    size_t array_count;
};

void call_of_bytes(struct bytes *bytes, struct sample_call *call);
void free_call(struct sample_call *call);

/* The parts of it, in this order. */
void history_of_bytes(struct bytes *bytes, struct sample_call *call,
                      struct tessera_history *history);
void params_of_bytes(struct bytes *bytes, struct sample_call *call);
void logits_of_bytes(struct bytes *bytes, struct sample_call *call);
void masks_of_bytes(struct bytes *bytes, struct sample_call *call);
void edits_of_bytes(struct bytes *bytes, struct sample_call *call);
void maxima_of_bytes(struct bytes *bytes, struct sample_call *call);

/* An array of the call. */
void *new_array(struct sample_call *call, size_t bytes, size_t alignment);

/* No input has changed since the call was made, but params with advance_step.
 */
void check_inputs(const struct sample_call *call);

/* The params of a row. */
struct tessera_params *params_of(const struct tessera_batch *batch,
                                 int32_t row);

/* What a row asks, looked up anew in the batch; false: an index, an offset, a
 * length or a bound makes it invalid. */
bool look_up_row(const struct sample_call *call, int32_t row,
                 struct test_row *found);

/* What a row must answer. */
struct row_result expected_answer(const struct sample_call *call, int32_t row);

/* Outputs for so many rows, every byte FILL. */
struct written {
    struct tessera_outputs outputs;
    struct array arrays[OUTPUT_ARRAYS];
};

void make_outputs(struct written *written, const struct sample_call *call,
                  int32_t rows);
void free_outputs(struct written *written);

/* Row 'row' of the outputs is as expected, bit for bit. */
void check_row(const struct written *written, int32_t row,
               const struct row_result *expected);

/* Nothing was written: anywhere, or before the arrays. */
void check_untouched(const struct written *written);
void check_before(const struct written *written);

/* Spoils a call of at least one row in one place.  Returns the name that the
 * error must have in it; NULL: this fault does not fit the call. */
const char *spoil_call(struct bytes *bytes, struct sample_call *call,
                       struct tessera_outputs *outputs, void **workspace,
                       size_t *workspace_bytes);

/* Likewise for a config that a sampler was made with. */
const char *spoil_config(struct bytes *bytes, struct tessera_config *config);

#endif
