/*
 * cuda_clock.c - time work on a GPU, by events of the driver
 */

#include "cuda_clock.h"

#include "cli.h"

bool cuda_clock_did(struct cuda_clock *clock, const char *call, unsigned result)
{
    if (result != 0 && !clock->failed) {
        clock->failed = call;
        clock->result = result;
    }
    return !clock->failed;
}

void cuda_clock_open(struct cuda_clock *clock, const struct cuda_driver *driver,
                     int32_t ordinal)
{
    *clock = (struct cuda_clock){.driver = driver};
    CUDA_CALL(clock, init, 0);
    CUDA_CALL(clock, device_get, &clock->device, ordinal);
    CUDA_CALL(clock, context_retain, &clock->context, clock->device);
    CUDA_CALL(clock, context_set, clock->context);
    CUDA_CALL(clock, stream_create, &clock->stream, CUDA_NON_BLOCKING);
    CUDA_CALL(clock, event_create, &clock->start, 0);
    CUDA_CALL(clock, event_create, &clock->stop, 0);
}

void cuda_clock_close(struct cuda_clock *clock)
{
    const struct cuda_driver *driver = clock->driver;

    if (clock->stop)
        driver->event_destroy(clock->stop);
    if (clock->start)
        driver->event_destroy(clock->start);
    if (clock->stream)
        driver->stream_destroy(clock->stream);
    if (clock->context)
        driver->context_release(clock->device);
}

double cuda_clock_time(struct cuda_clock *clock,
                       void (*enqueue)(struct cuda_clock *clock, void *of),
                       void *of, int64_t calls)
{
    float ms = 0;

    enqueue(clock, of);
    CUDA_CALL(clock, event_record, clock->start, clock->stream);
    for (int64_t i = 0; i < calls; i++)
        enqueue(clock, of);
    CUDA_CALL(clock, event_record, clock->stop, clock->stream);
    CUDA_CALL(clock, event_synchronize, clock->stop);
    CUDA_CALL(clock, event_elapsed, &ms, clock->start, clock->stop);
    return (double)ms * 1e3 / (double)calls;
}

void cuda_clock_wait(struct cuda_clock *clock)
{
    CUDA_CALL(clock, event_record, clock->stop, clock->stream);
    CUDA_CALL(clock, event_synchronize, clock->stop);
}

int cuda_clock_report(const struct cuda_clock *clock)
{
    const char *name = NULL;

    clock->driver->error_name(clock->result, &name);
    return report(CLI_FAILED, "the CUDA driver's %s failed: %s (%u)",
                  clock->failed, name ? name : "unknown error", clock->result);
}
