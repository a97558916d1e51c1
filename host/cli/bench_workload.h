/*
 * bench_workload.h - the batch of one measurement
 */

#ifndef TESSERA_CLI_BENCH_WORKLOAD_H
#define TESSERA_CLI_BENCH_WORKLOAD_H

#include "bench_cases.h"
#include "pool.h"

struct bench_shape {
    int32_t batch;
    int32_t vocab;
    enum tessera_dtype dtype;
};

/* Logits from a file, for the cases that want them: of the shape's vocab and
 * dtype.  NULL: none. */
struct bench_recording {
    const void *logits;
    size_t rows;
};

struct workload {
    const struct bench_case *what;
    struct bench_shape shape;

    /* Every row has logits, a history and a mask of its own; only a recording
     * of fewer rows is gone through again. */
    struct tessera_batch batch;
    struct tessera_outputs outputs;
    struct pool pool;
};

/* Makes the batch, the same for the same seed.  CLI_OK, or the status of the
 * line reported; workload_free() in both cases. */
int workload_create(struct workload *workload, const struct bench_case *what,
                    struct bench_shape shape,
                    const struct bench_recording *recording, uint64_t seed);

void workload_free(struct workload *workload);

/* Checks that the rows of a batch that was sampled were good ones: what is not
 * done for an invalid row is not to be timed.  CLI_OK, or the status of the
 * line reported. */
int workload_check(const struct workload *workload);

/* Writes the logits as they are to a .npy file: float32, float16, or bfloat16
 * as uint16.  CLI_OK, or the status of the line reported. */
int workload_save(const struct workload *workload, const char *path);

/* The logits of a row of the batch. */
const void *workload_logits(const struct workload *workload, int32_t row);

#endif
