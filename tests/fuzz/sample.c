/*
 * sample.c - fuzzer: tessera_sample() with any batch
 *
 * Every backend must give each row the oracle's answer, in the batch and
 * alone, and write nothing else; and refuse the batch with one fault in it.
 */

#include "fuzz.h"
#include "sample_call.h"

/* With pointers in host memory. */
static const enum tessera_device devices[] = {TESSERA_DEVICE_REFERENCE,
                                              TESSERA_DEVICE_CPU};

enum { DEVICES = sizeof(devices) / sizeof(devices[0]) };

/* A sampler at work. */
struct run {
    const struct sample_call *call;
    struct tessera_sampler *sampler;
    void *workspace; /* for all rows; what is in it is what was left */
    const struct row_result *expected;
};

static const int64_t *entries_from(const int64_t *list, int32_t first)
{
    return list ? list + first : NULL;
}

/* The rows from 'first' on, as a batch of their own. */
static struct tessera_batch slice(const struct tessera_batch *batch,
                                  int32_t first, int32_t rows)
{
    struct tessera_batch part = *batch;
    size_t element = batch->logits_type == TESSERA_FLOAT32 ? 4 : 2;

    part.rows = rows;
    part.params = params_of(batch, first);
    if (part.row_index) {
        part.row_index += first;
    } else {
        part.logits = (const char *)part.logits +
                      (size_t)(first * part.logits_stride) * element;
        part.logits_rows -= first;
    }
    if (part.mask_index) {
        part.mask_index += first;
    } else if (part.masks) {
        part.masks += first * part.mask_stride;
        part.mask_count -= first;
    }
    if (part.row_maxima)
        part.row_maxima += first;
    part.prompt.offsets = entries_from(part.prompt.offsets, first);
    part.prompt.lengths = entries_from(part.prompt.lengths, first);
    part.generated.offsets = entries_from(part.generated.offsets, first);
    part.generated.lengths = entries_from(part.generated.lengths, first);
    part.bias_offsets = entries_from(part.bias_offsets, first);
    part.ban_offsets = entries_from(part.ban_offsets, first);
    return part;
}

/* Steps go up by one, but those out of range; and back again. */
static void check_steps(const struct tessera_batch *batch,
                        const uint64_t before[MOST_ROWS])
{
    for (int32_t row = 0; row < batch->rows; row++) {
        struct tessera_params *params = params_of(batch, row);
        bool moves = batch->advance_step && before[row] < UINT64_C(1) << 62;

        REQUIRE(params->step == before[row] + moves, "row %d: step %llx",
                (int)row, (unsigned long long)params->step);
        params->step = before[row];
    }
}

static void sample_rows(const struct run *run, int32_t first, int32_t rows)
{
    struct tessera_batch part = slice(&run->call->batch, first, rows);
    size_t bytes = tessera_workspace_bytes(run->sampler, rows);
    uint64_t steps[MOST_ROWS];
    struct written written;

    for (int32_t row = 0; row < rows; row++)
        steps[row] = params_of(&part, row)->step;
    make_outputs(&written, run->call, rows);
    enum tessera_status status = tessera_sample(
        run->sampler, run->workspace, bytes, &part, &written.outputs, NULL);
    REQUIRE(status == TESSERA_OK, "%s", tessera_last_error());
    for (int32_t row = 0; row < rows; row++)
        check_row(&written, row, &run->expected[first + row]);
    check_before(&written);
    check_steps(&part, steps);
    check_inputs(run->call);
    free_outputs(&written);
}

static void check_refused(const struct run *run, struct bytes bytes)
{
    struct sample_call spoiled = *run->call;
    int32_t rows = spoiled.batch.rows;
    void *workspace = run->workspace;
    size_t workspace_bytes = tessera_workspace_bytes(run->sampler, rows);
    struct written written;

    make_outputs(&written, run->call, rows);
    struct tessera_outputs outputs = written.outputs;
    const char *name =
        spoil_call(&bytes, &spoiled, &outputs, &workspace, &workspace_bytes);
    if (name) {
        enum tessera_status status =
            tessera_sample(run->sampler, workspace, workspace_bytes,
                           &spoiled.batch, &outputs, NULL);
        REQUIRE(status == TESSERA_BAD_ARGUMENT, "%s: %s", name,
                tessera_status_name(status));
        REQUIRE(strstr(tessera_last_error(), name), "'%s' does not name %s",
                tessera_last_error(), name);
        check_untouched(&written);
        check_inputs(run->call);
    }
    free_outputs(&written);
}

static void check_config(struct tessera_config config, struct bytes bytes)
{
    struct tessera_sampler *sampler = (void *)&config;
    const char *name = spoil_config(&bytes, &config);
    enum tessera_status status = tessera_create(&config, &sampler);

    REQUIRE(status == TESSERA_BAD_ARGUMENT || status == TESSERA_UNAVAILABLE,
            "%s: %s", name, tessera_status_name(status));
    REQUIRE(!sampler, "%s: a sampler was made", name);
    REQUIRE(strstr(tessera_last_error(), name), "'%s' does not name %s",
            tessera_last_error(), name);
}

static void check_backend(enum tessera_device device,
                          const struct sample_call *call,
                          const struct row_result *expected,
                          struct bytes faults)
{
    struct tessera_config config = call->config;
    struct run run = {.call = call, .expected = expected};
    int32_t rows = call->batch.rows;

    config.device = device;
    enum tessera_status status = tessera_create(&config, &run.sampler);
    REQUIRE(status == TESSERA_OK, "%s", tessera_last_error());
    size_t bytes = tessera_workspace_bytes(run.sampler, rows);
    run.workspace = malloc(bytes);
    REQUIRE(bytes > 0 && run.workspace, "no workspace of %zu bytes", bytes);
    memset(run.workspace, FILL, bytes);

    sample_rows(&run, 0, rows);
    for (int32_t row = 0; row < rows; row++)
        sample_rows(&run, row, 1);
    if (rows > 0)
        check_refused(&run, faults);
    check_config(config, faults);
    free(run.workspace);
    tessera_free(run.sampler);
}

/* tessera_params_check() and the oracle agree on what is in its range. */
static void check_params(const struct sample_call *call, int32_t row)
{
    struct test_row asked;

    if (!look_up_row(call, row, &asked))
        return;
    const struct tessera_edits edits = {
        .vocab = asked.vocab,
        .bias_count = (int32_t)asked.bias.count,
        .ban_count = (int32_t)asked.bans.count,
        .biases = asked.bias.biases,
        .bans = asked.bans.ids,
    };
    bool valid = oracle_valid(&asked);
    REQUIRE((tessera_params_check(&asked.params, &edits) == TESSERA_OK) ==
                valid,
            "row %d: %s", (int)row, valid ? tessera_last_error() : "accepted");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct row_result expected[MOST_ROWS];
    struct sample_call call;

    call_of_bytes(&bytes, &call);
    for (int32_t row = 0; row < call.batch.rows; row++) {
        check_params(&call, row);
        expected[row] = expected_answer(&call, row);
    }
    for (size_t i = 0; i < DEVICES; i++)
        if (tessera_device_count(devices[i]) > 0)
            check_backend(devices[i], &call, expected, bytes);
    free_call(&call);
    return 0;
}
