/*
 * fuzz.h - what the fuzzers share
 *
 * A fuzzer is a function that libFuzzer calls with bytes, over and over.  What
 * the sanitizers do not see by themselves it says with REQUIRE().
 */

#ifndef TESSERA_TESTS_FUZZ_H
#define TESSERA_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run with the text that follows where the condition does not hold;
 * libFuzzer then keeps the input. */
#define REQUIRE(condition, ...)                                                \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);    \
            fprintf(stderr, __VA_ARGS__);                                      \
            fputc('\n', stderr);                                               \
            abort();                                                           \
        }                                                                      \
    } while (0)

#endif
