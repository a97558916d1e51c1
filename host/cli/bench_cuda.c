/*
 * bench_cuda.c - time the CUDA backend on a GPU
 *
 * tessera_sample() is captured into a graph, with params that are on the device
 * and walk on by themselves, as an engine would have it.  What is timed are
 * replays of the graph, one after the other, between two events.
 *
 * The floor is one read of the logits: half of what a copy of them within the
 * device takes, measured in the same way.  Both meet logits that the one before
 * them read, so what fits into L2 is there.
 */

#include "../stages/stages.h"
#include "bench_sampler.h"
#include "cli.h"
#include "cuda_clock.h"
#include "gauss.h"
#include "mirror.h"

struct cuda_run {
    struct bench_sampler sampler;
    struct mirror mirror;
    struct tessera_batch batch;     /* of the mirror */
    struct tessera_outputs outputs; /* of the mirror */
    struct cuda_clock clock;
    cuda_graph graph;
    cuda_graph_exec exec;

    /* The floor's. */
    void *copy;
    size_t copy_bytes;
    double copies; /* that a read of the batch's logits is */
};

const char *cuda_timing_absence(void)
{
    const char *why;

    return cuda_driver_open(&why) ? NULL : why;
}

/* What the rows use, for params that only the device reads. */
static void state_bounds(struct tessera_batch *batch,
                         const struct tessera_params *params)
{
    batch->params_memory = TESSERA_MEMORY_SAMPLER;
    batch->max_top_k = params->top_k > 0 ? params->top_k : 0;
    if (tessera_penalties_on(params))
        batch->stages |= TESSERA_STAGE_PENALTIES;
    if (!tessera_is_greedy(params->temperature))
        batch->stages |= TESSERA_STAGE_DRAW;
    if (params->top_k > 0)
        batch->stages |= TESSERA_STAGE_TOP_K;
    if (params->top_p < 1)
        batch->stages |= TESSERA_STAGE_TOP_P;
    if (params->min_p > 0)
        batch->stages |= TESSERA_STAGE_MIN_P;
}

static enum tessera_status sample(struct cuda_run *run)
{
    const struct bench_sampler *sampler = &run->sampler;

    return tessera_sample(sampler->sampler, sampler->workspace,
                          sampler->workspace_bytes, &run->batch, &run->outputs,
                          run->clock.stream);
}

/* Captures a call, after one that runs: what is wrong with it shows there. */
static enum tessera_status capture(struct cuda_run *run)
{
    struct cuda_clock *clock = &run->clock;
    enum tessera_status status = sample(run);

    cuda_clock_wait(clock);
    if (status != TESSERA_OK ||
        !CUDA_CALL(clock, stream_begin_capture, clock->stream,
                   CUDA_CAPTURE_OF_THREAD))
        return status;
    status = sample(run);
    CUDA_CALL(clock, stream_end_capture, clock->stream, &run->graph);
    CUDA_CALL(clock, graph_instantiate, &run->exec, run->graph, 0);
    return status;
}

/* Room for a copy of the logits that the batch reads, each row of them once. */
static enum tessera_status make_copy(struct cuda_run *run,
                                     const struct workload *workload)
{
    int64_t rows = workload->shape.batch;

    if (rows > workload->batch.logits_rows)
        rows = workload->batch.logits_rows;
    run->copies = (double)workload->shape.batch / (double)rows;
    run->copy_bytes = (size_t)rows * (size_t)workload->shape.vocab *
                      dtype_bytes(workload->shape.dtype);
    return tessera_memory_create(run->sampler.sampler, run->copy_bytes,
                                 &run->copy);
}

static void enqueue_replay(struct cuda_clock *clock, void *of)
{
    struct cuda_run *run = of;

    CUDA_CALL(clock, graph_launch, run->exec, clock->stream);
}

static void enqueue_copy(struct cuda_clock *clock, void *of)
{
    struct cuda_run *run = of;

    CUDA_CALL(clock, copy, (uintptr_t)run->copy, (uintptr_t)run->batch.logits,
              run->copy_bytes, clock->stream);
}

static double time_replays(void *of, int64_t calls)
{
    struct cuda_run *run = of;

    return cuda_clock_time(&run->clock, enqueue_replay, run, calls);
}

static double time_reads(void *of, int64_t calls)
{
    struct cuda_run *run = of;

    return cuda_clock_time(&run->clock, enqueue_copy, run, calls) *
           run->copies / 2;
}

/* Whether the workspace is memory of the driver's device.  It is not where the
 * plugin runs its kernels elsewhere, as in tests/vgpu. */
static int check_memory(struct cuda_run *run)
{
    struct cuda_clock *clock = &run->clock;
    unsigned type = 0;

    if (!clock->failed &&
        clock->driver->pointer_attribute(
            &type, CUDA_MEMORY_TYPE, (uintptr_t)run->sampler.workspace) == 0 &&
        type == CUDA_DEVICE_MEMORY)
        return CLI_OK;
    if (clock->failed)
        return cuda_clock_report(clock);
    return report(CLI_USAGE, "--backend is cuda; its kernels do not run on the "
                             "device of the CUDA driver, whose events time "
                             "them");
}

static int prepare(struct cuda_run *run, struct workload *workload)
{
    const struct bench_sampler *sampler = &run->sampler;

    run->batch = workload->batch;
    run->outputs = workload->outputs;
    state_bounds(&run->batch, &workload->what->params);
    enum tessera_status status =
        mirror_begin(&run->mirror, sampler->sampler, &sampler->config,
                     &run->batch, &run->outputs);
    if (status == TESSERA_OK)
        status = make_copy(run, workload);
    if (status == TESSERA_OK)
        status = capture(run);
    if (status != TESSERA_OK)
        return report_library(status);
    return run->clock.failed ? cuda_clock_report(&run->clock) : CLI_OK;
}

static void clean_up(struct cuda_run *run)
{
    const struct cuda_driver *driver = run->clock.driver;

    if (run->exec)
        driver->graph_exec_destroy(run->exec);
    if (run->graph)
        driver->graph_destroy(run->graph);
    tessera_memory_free(run->sampler.sampler, run->copy);
    mirror_end(&run->mirror, false);
}

int measure_cuda(const struct bench_target *target, struct workload *workload,
                 struct effort effort, struct measurement *measurement)
{
    struct cuda_run run = {.copies = 1};
    const struct subject sampler = {time_replays, &run};
    const struct subject floor = {time_reads, &run};
    const char *why;
    const struct cuda_driver *driver = cuda_driver_open(&why);
    int status = bench_sampler_open(&run.sampler, target, workload);

    cuda_clock_open(&run.clock, driver, target->backend.ordinal);
    if (status == CLI_OK)
        status = check_memory(&run);
    if (status == CLI_OK)
        status = prepare(&run, workload);
    if (status == CLI_OK)
        status = measure(&sampler, &floor, effort, measurement);
    if (status == CLI_OK && run.clock.failed)
        status = cuda_clock_report(&run.clock);
    if (status == CLI_OK && mirror_end(&run.mirror, true) != TESSERA_OK)
        status = report_library(run.mirror.status);
    clean_up(&run);
    bench_sampler_close(&run.sampler);
    cuda_clock_close(&run.clock);
    return status;
}
