/*
 * bench_workload.c - the batch of one measurement
 */

#include "bench_workload.h"

#include "cli.h"
#include "gauss.h"

#include <math.h>
#include <string.h>

#define PEAKS 5

/* Where rows begin, as those of an engine do: a load of a whole cache line that
 * lies across two takes twice as long. */
#define LOGITS_ALIGNMENT 64

static void raise_peaks(float *row, int32_t vocab, uint64_t *random)
{
    float best = row[0];

    for (int32_t token = 1; token < vocab; token++)
        best = fmaxf(best, row[token]);
    for (int i = 0; i < PEAKS; i++)
        row[splitmix(random) % (uint64_t)vocab] = best + 8.0f + (float)i;
}

/* Room for rows of the shape's vocab and dtype, for the batch to read. */
static void *take_logits(struct workload *workload, size_t rows)
{
    size_t row_bytes =
        (size_t)workload->shape.vocab * dtype_bytes(workload->shape.dtype);
    char *memory =
        pool_take(&workload->pool, rows * row_bytes + LOGITS_ALIGNMENT - 1, 1);
    size_t past = (uintptr_t)memory % LOGITS_ALIGNMENT;
    char *logits =
        memory && past > 0 ? memory + LOGITS_ALIGNMENT - past : memory;

    workload->batch.logits = logits;
    workload->batch.logits_rows = (int64_t)rows;
    return logits;
}

static void make_logits(struct workload *workload, uint64_t *random)
{
    struct pool *pool = &workload->pool;
    struct bench_shape shape = workload->shape;
    size_t vocab = (size_t)shape.vocab;
    size_t bytes = dtype_bytes(shape.dtype);
    float *row = pool_take(pool, vocab, sizeof(float));
    unsigned char *next = take_logits(workload, (size_t)shape.batch);

    for (int32_t i = 0; i < shape.batch && !pool->failed; i++) {
        struct gauss gauss = {splitmix(random), 0, workload->what->deviation};

        gauss_fill(gauss, TESSERA_FLOAT32, vocab, row);
        if (workload->what->peaked)
            raise_peaks(row, shape.vocab, random);
        for (size_t token = 0; token < vocab; token++, next += bytes)
            round_to_dtype(row[token], shape.dtype, next);
    }
}

static void use_recording(struct workload *workload,
                          const struct bench_recording *recording)
{
    struct pool *pool = &workload->pool;
    int32_t rows = workload->shape.batch;
    int32_t *row_index = pool_take(pool, (size_t)rows, sizeof(*row_index));
    void *logits = take_logits(workload, recording->rows);

    workload->batch.row_index = row_index;
    if (pool->failed)
        return;
    memcpy(logits, recording->logits,
           recording->rows * (size_t)workload->shape.vocab *
               dtype_bytes(workload->shape.dtype));
    for (int32_t row = 0; row < rows; row++)
        row_index[row] = (int32_t)((size_t)row % recording->rows);
}

static void make_params(struct workload *workload, uint64_t seed)
{
    struct pool *pool = &workload->pool;
    int32_t rows = workload->shape.batch;
    struct tessera_params *params =
        pool_take(pool, (size_t)rows, sizeof(*params));

    workload->batch.params = params;
    workload->batch.advance_step = 1; /* another draw each time */
    for (int32_t row = 0; row < rows && !pool->failed; row++) {
        params[row] = workload->what->params;
        params[row].seed = seed + (uint64_t)row;
    }
}

static void make_history(struct workload *workload, uint64_t *random)
{
    struct pool *pool = &workload->pool;
    size_t rows = (size_t)workload->shape.batch;
    size_t length = (size_t)workload->what->history;
    int32_t *tokens = pool_take(pool, rows * length, sizeof(*tokens));
    int64_t *offsets = pool_take(pool, 2 * rows, sizeof(*offsets));
    int64_t *lengths = pool_take(pool, 2 * rows, sizeof(*lengths));

    if (pool->failed)
        return;
    workload->batch.prompt = (struct tessera_history){tokens, offsets, lengths};
    workload->batch.generated =
        (struct tessera_history){tokens, offsets + rows, lengths + rows};
    for (size_t i = 0; i < rows * length; i++)
        tokens[i] =
            (int32_t)(splitmix(random) % (uint64_t)workload->shape.vocab);
    for (size_t row = 0; row < rows; row++) {
        size_t prompt = length / 2;

        offsets[row] = (int64_t)(row * length);
        lengths[row] = (int64_t)prompt;
        offsets[rows + row] = (int64_t)(row * length + prompt);
        lengths[rows + row] = (int64_t)(length - prompt);
    }
}

static void make_masks(struct workload *workload, uint64_t *random)
{
    struct pool *pool = &workload->pool;
    size_t rows = (size_t)workload->shape.batch;
    size_t words = ((size_t)workload->shape.vocab + 31) / 32;
    uint32_t *masks = pool_take(pool, rows * words, sizeof(*masks));

    workload->batch.masks = masks;
    workload->batch.mask_stride = (int64_t)words;
    workload->batch.mask_count = workload->shape.batch;
    for (size_t bit = 0; bit < 32 * rows * words && !pool->failed; bit++)
        if (splitmix(random) % 10 == 0)
            masks[bit / 32] |= UINT32_C(1) << bit % 32;
}

static void make_outputs(struct workload *workload)
{
    struct tessera_outputs *outputs = &workload->outputs;
    struct pool *pool = &workload->pool;
    size_t rows = (size_t)workload->shape.batch;
    size_t listed = rows * (size_t)workload->what->top_n;

    outputs->token = pool_take(pool, rows, sizeof(*outputs->token));
    outputs->status = pool_take(pool, rows, sizeof(*outputs->status));
    if (listed == 0)
        return;
    outputs->top_n = workload->what->top_n;
    outputs->logprob = pool_take(pool, rows, sizeof(*outputs->logprob));
    outputs->top_tokens = pool_take(pool, listed, sizeof(*outputs->top_tokens));
    outputs->top_logprobs =
        pool_take(pool, listed, sizeof(*outputs->top_logprobs));
}

int workload_create(struct workload *workload, const struct bench_case *what,
                    struct bench_shape shape,
                    const struct bench_recording *recording, uint64_t seed)
{
    uint64_t random = seed;

    *workload = (struct workload){.what = what,
                                  .shape = shape,
                                  .batch = TESSERA_BATCH_INIT,
                                  .outputs = TESSERA_OUTPUTS_INIT};
    workload->batch.rows = shape.batch;
    workload->batch.logits_type = shape.dtype;
    workload->batch.logits_stride = shape.vocab;
    if (what->recorded)
        use_recording(workload, recording);
    else
        make_logits(workload, &random);
    make_params(workload, seed);
    if (what->history > 0)
        make_history(workload, &random);
    if (what->masked)
        make_masks(workload, &random);
    make_outputs(workload);
    return workload->pool.failed ? report_memory() : CLI_OK;
}

void workload_free(struct workload *workload)
{
    pool_free(&workload->pool);
}

int workload_check(const struct workload *workload)
{
    for (int32_t row = 0; row < workload->shape.batch; row++)
        if (workload->outputs.status[row] & TESSERA_ROW_INVALID)
            return report(CLI_FAILED, "the case %s: row %d is invalid",
                          workload->what->name, (int)row);
    return CLI_OK;
}

const void *workload_logits(const struct workload *workload, int32_t row)
{
    const struct tessera_batch *batch = &workload->batch;
    int64_t place = batch->row_index ? batch->row_index[row] : row;

    return (const char *)batch->logits +
           (size_t)(place * batch->logits_stride) *
               dtype_bytes(batch->logits_type);
}
