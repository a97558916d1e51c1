/*
 * tessera.h - choose the next token of every sequence of a batch
 *
 * Logits [rows x vocab] in, one token a row out: masks, bias, penalties,
 * temperature, top-k, top-p, min-p, one softmax and one seeded draw a row.
 * The answer is an integer computation, so every backend gives the same token,
 * the same counts and the same log-probabilities, to the bit, whatever the
 * batch around a row, its place in it, the number of threads or the device.
 * README.md explains the arithmetic ("the contract") and each parameter.
 *
 *     struct tessera_config config = TESSERA_CONFIG_INIT;
 *     config.device = TESSERA_DEVICE_CPU;
 *     config.vocab = 128256;
 *     tessera_create(&config, &sampler);
 *     tessera_workspace_create(sampler, rows, &workspace, &workspace_bytes);
 *     tessera_sample(sampler, workspace, workspace_bytes, &batch, &outputs,
 *                    NULL);
 *
 * Conventions.  Strides of logits and masks are in elements, that of params
 * in bytes.  Offsets and lengths are 64 bits.  "The sampler's side" is host
 * memory for a CPU sampler and memory of its device for a CUDA sampler.
 * Pointers are aligned to the type they point to; workspaces to 16 bytes.
 *
 * Errors.  What is wrong with a call (a NULL, a size, an alignment, a
 * capacity) is its return value: nothing was then enqueued or written, and
 * tessera_last_error() names the argument, its value and its range.  What is
 * wrong with a row is that row's status, on every backend; the call and the
 * other rows go on.
 *
 * A call that fails leaves nothing behind.  A CUDA sampler's leaves the
 * caller's device current, whatever becomes of it, and the caller's own pending
 * CUDA error pending.
 *
 * Capture.  Of a CUDA sampler, tessera_sample() may be captured.  Making and
 * freeing it, its workspaces and its memory, and copying to and from that, are
 * what CUDA forbids while any stream is captured in global mode, and while one
 * of the same thread is: such a capture is lost.
 *
 * The library never prints, exits, aborts or throws.  Its only state outside
 * a sampler is the text of each thread's last error.  What OpenMP does is its
 * own, though: a CPU sampler that may use more threads than the caller's (see
 * config.threads) has it start them, for which it allocates, and GNU's ends the
 * process where the system gives it none.
 */

#ifndef TESSERA_H
#define TESSERA_H

#include <stddef.h>
#include <stdint.h>

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_PATCH 0

/* The arithmetic this header describes.  A seed means the same tokens for as
 * long as this number stays. */
#define TESSERA_CONTRACT_VERSION 1

/* Largest vocabulary, and most entries of a row's list of top tokens. */
#define TESSERA_MAX_VOCAB 4194304
#define TESSERA_MAX_TOP_LOGPROBS 64

#if defined(_WIN32)
#define TESSERA_API
#else
#define TESSERA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A CUDA stream: this type is cudaStream_t and CUstream.  CPU samplers ignore
 * it; pass NULL. */
typedef struct CUstream_st *tessera_stream;

/* What a call returns.  Values never change and are never used again. */
enum tessera_status {
    TESSERA_OK = 0,

    /* The call's arguments: a NULL, a size, an alignment, a capacity.  Nothing
     * was enqueued or written. */
    TESSERA_BAD_ARGUMENT = 1,

    /* Memory could not be had.  Nothing is left behind. */
    TESSERA_OUT_OF_MEMORY = 2,

    /* This build or this machine has no such backend, no device for it, or no
     * code for that device; or the library has another contract. */
    TESSERA_UNAVAILABLE = 3,

    /* A CUDA call failed; the outputs of this call are undefined.  The next
     * call may work. */
    TESSERA_CUDA_ERROR = 4,

    /* The device is lost to this process (an illegal address, say).  Every
     * later call with this sampler answers the same; free it. */
    TESSERA_FATAL = 5
};

/* Where a sampler works, which decides on which side its pointers are. */
enum tessera_device {
    /* The definition: stage by stage, sorting outright, slow.  Host memory. */
    TESSERA_DEVICE_REFERENCE = 0,

    /* The fast CPU path.  Host memory. */
    TESSERA_DEVICE_CPU = 1,

    /* A CUDA device, by its ordinal.  Device memory. */
    TESSERA_DEVICE_CUDA = 2
};

/* How a CUDA sampler may go about it, as bits.  The answer is the same. */
enum tessera_plan {
    TESSERA_PLAN_STAGED = 1, /* a segmented radix sort of the batch */
    TESSERA_PLAN_FUSED = 2   /* select instead of sort, few passes */
};

/* The type of logits.  Each is widened to binary32 exactly. */
enum tessera_dtype {
    TESSERA_FLOAT32 = 0,
    TESSERA_FLOAT16 = 1,
    TESSERA_BFLOAT16 = 2
};

/* Where the array of params is. */
enum tessera_memory {
    /* Host memory, read before the call returns. */
    TESSERA_MEMORY_HOST = 0,

    /* The sampler's side, read when the stream reaches the call: a replayed
     * graph sees new values. */
    TESSERA_MEMORY_SAMPLER = 1
};

/* The stages that a row's params use, as bits: see tessera_batch.stages. */
enum tessera_stage {
    TESSERA_STAGE_PENALTIES = 1, /* repetition not 1, or another not 0 */
    TESSERA_STAGE_DRAW = 2,      /* temperature of 1e-5 and above */
    TESSERA_STAGE_TOP_K = 4,     /* top_k above 0 */
    TESSERA_STAGE_TOP_P = 8,     /* top_p below 1 */
    TESSERA_STAGE_MIN_P = 16     /* min_p above 0 */
};

/* Bits of a row's status: what is to be told of the row, on any backend. */
enum tessera_row_status {
    TESSERA_ROW_OK = 0,

    /* No token was in: every logit is -inf or NaN, or mask, bans and bias
     * removed what was not.  The row's token is -1. */
    TESSERA_ROW_EMPTY = 1,

    /* A NaN stood at a token that mask and bans leave in, whatever its bias,
     * and counted as -inf.  The token is from the rest. */
    TESSERA_ROW_NAN = 2,

    /* A value of the row was out of its range: a parameter, an id among its
     * bias or bans, an index, an offset, a length.  The row's token is -1, and
     * no other bit is set. */
    TESSERA_ROW_INVALID = 4,

    /* For information, of a row that is answered: its entry in batch.row_maxima
     * is not its largest logit after its edits.  The token and all else are as
     * without that entry. */
    TESSERA_ROW_MAXIMUM = 8
};

/*
 * The parameters of one row.  A batch has an array of these, one a row, so
 * that a step costs one copy.  TESSERA_PARAMS_INIT: everything off,
 * temperature 1, seed 0.
 *
 * A value out of its range makes that row invalid, greedy or not, and no
 * other; a NaN is outside every range.  tessera_params_check() says which
 * value it is, and the range.
 *
 * The batch gives the array's stride, so fields may be appended.
 *
 * Stages run in the order of the fields below: penalties, temperature, top_k,
 * top_p, min_p, draw; the mask, the bans and the bias come first.
 */
struct tessera_params {
    /* Divides the logit of each token that occurs in the window if it is
     * positive, multiplies it if not; once, however often it occurs.
     * (0, 1e6]; above 1 makes repeats less likely.  Off: 1.
     * (CTRL, Keskar et al. 2019.) */
    float repetition_penalty;

    /* Times a token's count, subtracted from its logit.  [-1e6, 1e6].  Off: 0.
     * (OpenAI API: frequency_penalty.) */
    float frequency_penalty;

    /* Subtracted once from the logit of each token counted.  [-1e6, 1e6].
     * Off: 0.  (OpenAI API: presence_penalty.) */
    float presence_penalty;

    /* How many of the last history entries, prompt and generated in one row,
     * the three penalties look at.  Any value; negative: all; 0: none.
     * Default: -1. */
    int32_t penalty_window;

    /* What frequency and presence count: 0, generated tokens of the window;
     * any other value, prompt tokens too.  Repetition always sees both. */
    int32_t penalize_prompt;

    /* Divides the logits before the softmax.  [0, 1e6].  Below 1e-5 (bits
     * 3727c5ac) the row is greedy: its best token, nothing drawn.  Off: 1. */
    float temperature;

    /* Tokens kept, best first.  Ties at rank k go to the lower id.
     * -1 .. 2^31 - 1; off: 0, -1, or no fewer than are in.
     * (Fan et al. 2018.) */
    int32_t top_k;

    /* Share of the weight, of what top_k kept, that is kept: the smallest
     * number of best tokens that together hold at least top_p.  [0, 1]; 0
     * keeps one.  Off: 1.  (Nucleus sampling, Holtzman et al. 2020.) */
    float top_p;

    /* Tokens with less than min_p times the weight of the best are removed.
     * [0, 1].  Off: 0.  (Nguyen et al. 2024.) */
    float min_p;

    /* The row's random numbers: Philox4x32-10 as cuRAND has it, keyed by seed
     * and counted by (step, stream).  The same three draw the same token from
     * the same row.  Any seed; none is special.  Default: 0. */
    uint64_t seed;

    /* Tells the n sequences of one request apart: 0 .. n-1.  Any value. */
    uint64_t stream;

    /* How many tokens the sequence has generated so far.  Below 2^62.  The
     * engine's to count: advance_step counts calls, rows without a token among
     * them. */
    uint64_t step;
};

#define TESSERA_PARAMS_INIT                                                    \
    {                                                                          \
        1.0f, 0.0f, 0.0f, -1, 0, 1.0f, 0, 1.0f, 0.0f, 0, 0, 0                  \
    }

/*
 * What a sampler is made for.  TESSERA_CONFIG_INIT fills all but device and
 * vocab with useful values.
 */
struct tessera_config {
    /* sizeof(struct tessera_config).  Fields are only appended; bytes past
     * those this library knows must be 0. */
    size_t sizeof_config;

    /* The contract asked for: TESSERA_CONTRACT_VERSION.  A library with
     * another one answers TESSERA_UNAVAILABLE. */
    int32_t contract_version;

    /* Default: the reference. */
    enum tessera_device device;

    /* Which CUDA device; 0 for CPU samplers.  0 .. devices - 1. */
    int32_t device_ordinal;

    /* Tokens a row.  1 .. TESSERA_MAX_VOCAB.  No default. */
    int32_t vocab;

    /* Most rows of a call.  1 .. 2^31 - 1.  Default: 4096. */
    int32_t max_rows;

    /* Most history entries of a row, prompt and generated together; a row with
     * more is invalid.  0 .. 2^31 - 1.  Default: 262144. */
    int32_t max_history;

    /* Most edits of a row, bans and bias together; a row with more is invalid.
     * 0 .. 2^31 - 1.  Default: 65536. */
    int32_t max_edits;

    /* Most entries of a list of top tokens.  0 .. TESSERA_MAX_TOP_LOGPROBS.
     * Default: 20. */
    int32_t max_top_logprobs;

    /* Bits of enum tessera_plan that a CUDA sampler may use; 0: any.  CPU
     * samplers check it and ignore it.  Default: 0. */
    uint32_t plans;

    /* Most threads of a CPU sampler's call; 0: as many as OpenMP says when the
     * sampler is made.  The caller's is one of them.  0 .. 1024; 1 where the
     * library is built without OpenMP, and fewer where more would not fit in
     * workspace_limit.  More than 1 is OpenMP's to start, which allocates; a
     * process forked from one that did must not sample with more than 1.  Other
     * samplers check it and ignore it.  Default: 0. */
    int32_t threads;

    /* A workspace is no larger than this if one row fits in it: larger batches
     * are then worked through in chunks.  Bytes, at least 1.  Default: 64 MiB.
     */
    size_t workspace_limit;

    /* Told of each kernel that a call enqueues, in order, on the thread of the
     * call and before it returns; threads that call at once are told at once.
     * It must not call into the sampler.  'kernel' is a name that stays,
     * "read_logits", text that lives as long as the process; the kernels of one
     * sort of CUB's are one "cub::DeviceSegmentedRadixSort".  What
     * tessera_create() launches to load kernels is not told, nor is a replay of
     * a captured graph, and a CPU sampler never tells.  NULL: not wanted.
     * Default: NULL. */
    void (*on_launch)(void *context, const char *kernel);

    /* What on_launch is given; never followed.  Default: NULL. */
    void *launch_context;
};

#define TESSERA_CONFIG_INIT                                                    \
    {                                                                          \
        sizeof(struct tessera_config), TESSERA_CONTRACT_VERSION,               \
            TESSERA_DEVICE_REFERENCE, 0, 0, 4096, 262144, 65536, 20, 0, 0,     \
            (size_t)64 << 20, NULL, NULL                                       \
    }

/*
 * One segment of the history of each row: prompts, or what was generated.
 * Row i's entries are tokens[offsets[i]] .. tokens[offsets[i] + lengths[i] -
 * 1], so an engine's own token tables serve without copying.  Read only, on
 * the sampler's side, read when the stream reaches the call.
 *
 * An entry outside [0, vocab) is a placeholder: it takes a place in the window
 * and matches nothing.
 */
struct tessera_history {
    /* NULL: no row has entries; a row with a length above 0 is invalid. */
    const int32_t *tokens;

    /* [rows], in entries, from tokens.  A row with a negative one is invalid.
     * NULL only with lengths NULL. */
    const int64_t *offsets;

    /* [rows].  NULL: the segment is empty in every row, and tokens must be NULL
     * too.  A row is invalid with a negative length, or with more than
     * max_history in both segments. */
    const int64_t *lengths;
};

/* One token's bias, added to its logit; -inf bans the token.  Finite or -inf.
 * (OpenAI API: logit_bias.) */
struct tessera_bias {
    int32_t token; /* [0, vocab) */
    float value;
};

/*
 * A batch of rows.  TESSERA_BATCH_INIT: no rows, everything absent.
 *
 * The struct is read before the call returns.  What it points to is on the
 * sampler's side and is read when the stream reaches the call (by a CPU
 * sampler: before the call returns), but for params, as params_memory says.
 * Nothing is written but params, with advance_step.
 */
struct tessera_batch {
    /* sizeof(struct tessera_batch).  Fields are only appended; bytes past
     * those this library knows must be 0. */
    size_t sizeof_batch;

    /* 0 .. max_rows.  0 does nothing. */
    int32_t rows;

    enum tessera_dtype logits_type;

    /* [logits_rows x logits_stride], elements [0, vocab) of each row used and
     * the rest not read.  Aligned to its element.  A NaN is out (status), +inf
     * counts as the largest float, -inf is out. */
    const void *logits;

    /* Elements from a row to the next, at least vocab. */
    int64_t logits_stride;

    /* Rows of logits there are, at least 1; without row_index, at least rows.
     */
    int64_t logits_rows;

    /* [rows]: the row of logits for each row of the batch; several may share
     * one.  A row with an index outside [0, logits_rows) is invalid.
     * NULL: row i has logits row i. */
    const int32_t *row_index;

    /* [rows], params_stride bytes apart, where params_memory says.  Written
     * only with advance_step. */
    struct tessera_params *params;

    /* Bytes: at least sizeof(struct tessera_params), a multiple of 8. */
    size_t params_stride;

    enum tessera_memory params_memory;

    /* Not 0: add 1 to the step of every row (whatever its status, but for a
     * step out of range) once it has been used.  With TESSERA_MEMORY_SAMPLER
     * replays of a captured graph walk on.  Steps in host memory advance when
     * the call returns, and a replay repeats the step that was captured. */
    int32_t advance_step;

    /* With TESSERA_MEMORY_SAMPLER, bits of enum tessera_stage: what any row may
     * use.  A row that uses another is invalid.  Not read for params in host
     * memory. */
    uint32_t stages;

    /* With TESSERA_MEMORY_SAMPLER: the largest top_k of any row, at least 0; a
     * row with a larger one is invalid.  Not read for params in host memory.
     */
    int32_t max_top_k;

    /* The history is the prompt followed by what was generated. */
    struct tessera_history prompt;
    struct tessera_history generated;

    /* Bias: row i's entries are biases[bias_offsets[i]] up to
     * biases[bias_offsets[i + 1] - 1], their tokens ascending, none twice;
     * anything else makes the row invalid, as do offsets that descend or are
     * negative, and entries where biases is NULL.  bias_offsets is [rows + 1];
     * NULL: no bias, and biases must be NULL too. */
    const struct tessera_bias *biases;
    const int64_t *bias_offsets;

    /* Bans: likewise, token ids in [0, vocab) in any order; one may repeat. */
    const int32_t *bans;
    const int64_t *ban_offsets;

    /* Masks of allowed tokens, [mask_count x mask_stride] words: token t is in
     * if bit t % 32 of word t / 32 is 1.  Bits past vocab say nothing.
     * NULL: no masks; mask_count is then 0. */
    const uint32_t *masks;

    /* Words from a mask to the next: at least vocab / 32, rounded up. */
    int64_t mask_stride;

    /* Masks there are; without mask_index, at least rows. */
    int64_t mask_count;

    /* [rows]: the mask of each row, -1 for none.  A row with another index
     * outside [0, mask_count) is invalid.  NULL: row i has mask i. */
    const int32_t *mask_index;

    /* [rows], by place in the batch: what the caller believes to be the largest
     * logit of each row after mask, bans, bias and penalties and before
     * temperature; what makes the logits may know it.  Compared as numbers: -0
     * is 0, and +inf counts as the largest float.  A right one can save the
     * plan fused one of two reads of a row that draws without top_k and top_p,
     * in a call that asks for no processed list and whose rows do not go on
     * chip.  A wrong one costs such a row a read, and in any row that is
     * neither empty nor invalid sets TESSERA_ROW_MAXIMUM; it changes nothing
     * else.  A NaN: not known.  NULL: none is. */
    const float *row_maxima;
};

#define TESSERA_BATCH_INIT                                                     \
    {                                                                          \
        sizeof(struct tessera_batch), 0, TESSERA_FLOAT32, NULL, 0, 0, NULL,    \
            NULL, sizeof(struct tessera_params), TESSERA_MEMORY_HOST, 0, 0, 0, \
            {NULL, NULL, NULL}, {NULL, NULL, NULL}, NULL, NULL, NULL, NULL,    \
            NULL, 0, 0, NULL, NULL                                             \
    }

/*
 * What tessera_sample() writes, an entry a row, on the sampler's side.  NULL:
 * not wanted.  Asking never changes a token.  TESSERA_OUTPUTS_INIT: nothing
 * wanted.
 *
 * Log-probabilities are natural and defined to the bit.  Processed ones are of
 * the distribution drawn from: after edits and temperature, over the kept
 * tokens.  Raw ones are of the row as the caller gave it, at temperature 1.
 *
 * An empty or invalid row has token -1, log-probabilities -inf, rank 0, n_kept
 * 0, weight_sum 0 and a list of nothing; only the raw list of an empty row,
 * which knows no mask, bans or bias, may have tokens.
 */
struct tessera_outputs {
    /* sizeof(struct tessera_outputs).  Fields are only appended; bytes past
     * those this library knows must be 0. */
    size_t sizeof_outputs;

    /* In [0, vocab), or -1: see status. */
    int32_t *token;

    /* Processed, of the token.  0 in a greedy row. */
    float *logprob;

    /* Raw, of the token. */
    float *raw_logprob;

    /* The token's place in the raw row, from 1; equal logits by lower id. */
    int32_t *rank;

    /* [rows x top_n]: tokens from the most probable on, equal ones by lower
     * id, and their log-probabilities, processed or, with top_raw not 0, raw.
     * As many as are kept (processed) or in (raw), then id -1 and -inf. */
    int32_t *top_tokens;
    float *top_logprobs;

    /* 0 .. max_top_logprobs. */
    int32_t top_n;
    int32_t top_raw;

    /* Tokens that could be drawn: kept by every filter, with a weight. */
    int32_t *n_kept;

    /* Sum of the kept weights, the softmax's denominator, in units of 2^-40 of
     * the best token's weight.  At most 2^62. */
    uint64_t *weight_sum;

    /* Bits of enum tessera_row_status. */
    uint8_t *status;
};

#define TESSERA_OUTPUTS_INIT                                                   \
    {                                                                          \
        sizeof(struct tessera_outputs), NULL, NULL, NULL, NULL, NULL, NULL, 0, \
            0, NULL, NULL, NULL                                                \
    }

/* Made by tessera_create() and never changed after: any number of threads and
 * streams may use one at once. */
struct tessera_sampler;

/*
 * tessera_create() makes a sampler.
 *
 *   config   Read before the call returns.
 *   sampler  Set to the new sampler; to NULL on failure.
 *
 * All loading and allocation of the sampler's life happens here.  Returns
 * TESSERA_BAD_ARGUMENT for a value out of its range, an ordinal past the last
 * device among them; TESSERA_UNAVAILABLE, TESSERA_OUT_OF_MEMORY,
 * TESSERA_CUDA_ERROR or TESSERA_FATAL as said there.  Nothing is left behind by
 * a failure.
 *
 * Two variables of the environment are read, and none in a program that has
 * more rights than its user: TESSERA_CUDA_LIBRARY, the file of the CUDA plugin,
 * which otherwise is beside the library; TESSERA_CPU_VARIANT, the instruction
 * set of a CPU sampler (x86-64-v4, which is AVX-512, x86-64-v3, AVX2, x86-64 or
 * aarch64), which otherwise is the best that the machine has
 * (TESSERA_UNAVAILABLE if it has none of that name).
 */
TESSERA_API enum tessera_status
tessera_create(const struct tessera_config *config,
               struct tessera_sampler **sampler);

/*
 * tessera_free() frees a sampler.  NULL does nothing.  No call may be using
 * it, and work of a CUDA sampler must have finished.
 * It and the other frees cannot fail: what CUDA says of them is not told, and a
 * device that is lost keeps nothing of the library's on the host.
 * Workspaces made by tessera_workspace_create() are freed before.
 */
TESSERA_API void tessera_free(struct tessera_sampler *sampler);

/*
 * tessera_workspace_bytes() gives the size of the workspace that a call with
 * 'rows' rows (0 .. max_rows) needs, which is never 0.  0: the sampler is NULL,
 * rows is out of range, a CUDA call failed or the device is lost;
 * tessera_last_error() says which.  Never falls as rows grow, so one for
 * max_rows serves every call.
 */
TESSERA_API size_t
tessera_workspace_bytes(const struct tessera_sampler *sampler, int32_t rows);

/*
 * tessera_workspace_create() allocates a workspace on the sampler's side.
 *
 *   rows             0 .. max_rows.
 *   workspace        Set to the memory; to NULL on failure.
 *   workspace_bytes  Set to its size, tessera_workspace_bytes(); to 0 on
 *                    failure.  NULL: not wanted.
 *
 * Memory of the caller's own, 16-byte aligned, does as well.
 */
TESSERA_API enum tessera_status
tessera_workspace_create(const struct tessera_sampler *sampler, int32_t rows,
                         void **workspace, size_t *workspace_bytes);

/* tessera_workspace_free() frees what tessera_workspace_create() made, once no
 * call uses it.  NULL (sampler or workspace) does nothing. */
TESSERA_API void tessera_workspace_free(const struct tessera_sampler *sampler,
                                        void *workspace);

/*
 * Memory on the sampler's side, for programs that have no other way to it: a
 * program that uses CUDA has its own.  Each of these waits until it is done,
 * and orders nothing: wait for the stream before reading what a call wrote.
 *
 * tessera_memory_create() allocates 'bytes' (1 and above), aligned for any
 * type, and sets *memory to them; to NULL on failure.
 * tessera_memory_write() copies 'bytes' (0 and above) from host memory into it,
 * tessera_memory_read() out of it; neither pointer may be NULL.
 * tessera_memory_free() frees it; NULL (sampler or memory) does nothing.
 */
TESSERA_API enum tessera_status
tessera_memory_create(const struct tessera_sampler *sampler, size_t bytes,
                      void **memory);
TESSERA_API enum tessera_status
tessera_memory_write(const struct tessera_sampler *sampler, void *to,
                     const void *from, size_t bytes);
TESSERA_API enum tessera_status
tessera_memory_read(const struct tessera_sampler *sampler, void *to,
                    const void *from, size_t bytes);
TESSERA_API void tessera_memory_free(const struct tessera_sampler *sampler,
                                     void *memory);

/*
 * tessera_sample() draws one token for each row of a batch.
 *
 *   sampler          From tessera_create().
 *   workspace        On the sampler's side, 16-byte aligned.  Scratch: what is
 *                    in it between calls does not matter.  One per stream,
 *                    thread or captured graph; calls that share one must be
 *                    ordered.
 *   workspace_bytes  At least tessera_workspace_bytes(sampler, rows).
 *   batch            See there.
 *   outputs          The struct is read before the call returns.
 *   stream           A stream of the sampler's device; NULL is its legacy
 *                    default stream.  Another device's is
 *                    TESSERA_BAD_ARGUMENT, but TESSERA_CUDA_ERROR where it is
 *                    being captured.  Ignored by a CPU sampler.
 *
 * A CUDA sampler returns when the work is enqueued; the outputs are valid once
 * the stream has passed it.  A CPU sampler returns when the outputs are
 * written.  Never allocates (but see config.threads) and never synchronizes,
 * so it may be captured into a CUDA graph.  Reads nothing before the stream
 * reaches it but what is said to be read before the call returns.  Does not
 * depend on, or change, the caller's floating-point environment.
 *
 * After TESSERA_BAD_ARGUMENT nothing was enqueued or written; what is wrong
 * with a row is in its status instead.  After any other failure a part of the
 * work may have been enqueued: the outputs are undefined, and so are steps that
 * advance_step was to advance on the sampler's side; steps in host memory did
 * not advance.  A stream that was being captured may have lost its capture.
 */
TESSERA_API enum tessera_status
tessera_sample(const struct tessera_sampler *sampler, void *workspace,
               size_t workspace_bytes, const struct tessera_batch *batch,
               const struct tessera_outputs *outputs, tessera_stream stream);

/* The edits of one row, for tessera_params_check().  Host memory. */
struct tessera_edits {
    /* 1 .. TESSERA_MAX_VOCAB. */
    int32_t vocab;

    /* Entries of each list, at least 0; a list may be NULL when it has none. */
    int32_t bias_count;
    int32_t ban_count;

    const struct tessera_bias *biases;
    const int32_t *bans;
};

/*
 * tessera_params_check() tells whether a row with these params and edits would
 * be invalid on their account, for a front end that admits requests.  What a
 * sampler or a batch allows at most (max_edits, stages, max_top_k) it does not
 * know.
 *
 *   params  Host memory.  NULL is TESSERA_BAD_ARGUMENT.
 *   edits   Host memory.  NULL: not checked.
 *
 * Returns TESSERA_OK, or TESSERA_BAD_ARGUMENT with tessera_last_error() naming
 * the first value at fault and its range.  Needs no sampler.
 */
TESSERA_API enum tessera_status
tessera_params_check(const struct tessera_params *params,
                     const struct tessera_edits *edits);

/* The type of a parameter's field in struct tessera_params. */
enum tessera_parameter_type {
    TESSERA_PARAMETER_FLOAT = 0, /* float */
    TESSERA_PARAMETER_INT = 1,   /* int32_t */
    TESSERA_PARAMETER_WORD = 2,  /* uint64_t */
    TESSERA_PARAMETER_BOOL = 3   /* int32_t, 0 or not */
};

/*
 * What is to be known of a parameter: the table behind the checks, the
 * command's --help and the documentation.
 */
struct tessera_parameter {
    const char *name; /* the field's: "top_p" */
    enum tessera_parameter_type type;
    size_t offset; /* bytes into struct tessera_params */

    /* Range, both ends included unless 'open'.  Of a float or an int; a word
     * has 0 .. maximum_word. */
    double minimum;
    double maximum;
    uint64_t maximum_word;
    int minimum_open;

    const char *range;   /* the range in words: "[0, 1]" */
    const char *off;     /* the value that turns it off, in words; or "" */
    double initial;      /* TESSERA_PARAMS_INIT's value */
    const char *summary; /* one line of help */
};

/* tessera_parameter_info() describes the parameter with this index, from 0, in
 * the order of the fields; NULL past the last.  Lives as long as the library.
 */
TESSERA_API const struct tessera_parameter *
tessera_parameter_info(size_t index);

/* tessera_device_count() tells how many devices of a kind this build finds on
 * this machine: 0 or 1 for the CPU backends, which are there or not.  Whether
 * the CUDA plugin has code for a device, tessera_create() finds out. */
TESSERA_API int32_t tessera_device_count(enum tessera_device device);

/* tessera_last_error() is the text of this thread's last call that failed, one
 * line without its end; "" when none has.  Never NULL; valid until the
 * thread's next failing call. */
TESSERA_API const char *tessera_last_error(void);

/* tessera_status_name() is a status in words, "bad argument"; "unknown status"
 * for other values.  Never NULL. */
TESSERA_API const char *tessera_status_name(enum tessera_status status);

/* tessera_version() is the library's, "0.1.0"; tessera_contract_version() is
 * that of its arithmetic. */
TESSERA_API const char *tessera_version(void);
TESSERA_API int32_t tessera_contract_version(void);

#ifdef __cplusplus
}
#endif

#endif
