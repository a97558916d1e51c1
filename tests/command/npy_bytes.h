/*
 * npy_bytes.h - .npy files made by hand
 */

#ifndef TESSERA_TESTS_NPY_BYTES_H
#define TESSERA_TESTS_NPY_BYTES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of a file of format major.0 with this header; its size.  From the
 * heap and no longer than that, so that a sanitizer sees a read past it. */
static inline size_t npy_bytes(int major, const char *header, const void *data,
                               size_t data_size, unsigned char **bytes)
{
    size_t length = strlen(header);
    size_t length_bytes = major == 1 ? 2 : 4;
    size_t start = 8 + length_bytes + length;
    unsigned char *b = malloc(start + data_size);

    memcpy(b, "\x93NUMPY", 6);
    b[6] = (unsigned char)major;
    b[7] = 0;
    for (size_t i = 0; i < length_bytes; i++)
        b[8 + i] = (unsigned char)(length >> 8 * i);
    memcpy(b + 8 + length_bytes, header, length);
    if (data_size > 0)
        memcpy(b + start, data, data_size);
    *bytes = b;
    return start + data_size;
}

#endif
