/*
 * fake_driver.h - a CUDA driver of no device, which says what was asked of it
 *
 * A replay of a graph takes 2000 microseconds, a copy 1000.
 */

#ifndef TESSERA_TESTS_FAKE_DRIVER_H
#define TESSERA_TESTS_FAKE_DRIVER_H

struct fake_driver {
    /* The names of the calls, each with a space after it; the first that fit.
     */
    char calls[1 << 16];

    /* Objects that were made and are not destroyed. */
    int live;

    /* The call that fails, with result 700; NULL: none does. */
    const char *failing;

    /* What all memory is: 2 is a device's. */
    unsigned memory_type;
};

/* The library's fake_driver(): the one there is. */
typedef struct fake_driver *(*fake_driver_function)(void);

#endif
