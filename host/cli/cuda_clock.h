/*
 * cuda_clock.h - time work on a GPU, by events of the driver
 */

#ifndef TESSERA_CLI_CUDA_CLOCK_H
#define TESSERA_CLI_CUDA_CLOCK_H

#include "cuda_driver.h"

#include <stdbool.h>

struct cuda_clock {
    const struct cuda_driver *driver;
    int device;
    cuda_context context; /* the one that CUDA's runtime uses */
    tessera_stream stream;
    cuda_event start;
    cuda_event stop;

    /* The first call that failed, and its result; NULL: none has.  After one,
     * nothing more is done, and times are 0. */
    const char *failed;
    unsigned result;
};

/* Opens a clock on a device, whose context becomes current.  cuda_clock_close()
 * whether or not something failed. */
void cuda_clock_open(struct cuda_clock *clock, const struct cuda_driver *driver,
                     int32_t ordinal);
void cuda_clock_close(struct cuda_clock *clock);

/* Calls a function of the driver unless one has failed, and notes whether this
 * one does.  False: one has. */
#define CUDA_CALL(clock, function, ...)                                        \
    cuda_clock_did(clock, #function,                                           \
                   (clock)->failed ? (clock)->result                           \
                                   : (clock)->driver->function(__VA_ARGS__))

bool cuda_clock_did(struct cuda_clock *clock, const char *call,
                    unsigned result);

/* The microseconds of one of 'calls' pieces of work, each of which enqueue()
 * puts on the clock's stream.  One more goes before them, so that the device
 * has work while they are enqueued, and caches are warm. */
double cuda_clock_time(struct cuda_clock *clock,
                       void (*enqueue)(struct cuda_clock *clock, void *of),
                       void *of, int64_t calls);

/* Waits until the stream has done its work. */
void cuda_clock_wait(struct cuda_clock *clock);

/* Reports the call that failed; the exit status. */
int cuda_clock_report(const struct cuda_clock *clock);

#endif
