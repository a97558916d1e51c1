/*
 * npy.h - arrays of numbers in NumPy's .npy format, as far as tessera uses it
 *
 * Format versions 1.0, 2.0 and 3.0, one or two dimensions, C order,
 * little-endian: float32 and float16 logits, uint16 holding bfloat16, uint32
 * masks.  Everything else is refused by name.  The bytes may come from
 * anywhere: a header that lies is found out before its sizes are used.
 */

#ifndef TESSERA_CLI_NPY_H
#define TESSERA_CLI_NPY_H

#include <stddef.h>

enum npy_type { NPY_FLOAT32, NPY_FLOAT16, NPY_UINT16, NPY_UINT32 };

struct npy {
    enum npy_type type;

    /* An array of shape [n] has one row.  Both at least 1; columns at most
     * TESSERA_MAX_VOCAB, rows at most 2^31 - 1. */
    size_t rows;
    size_t columns;
    int dimensions;

    /* [rows x columns], aligned to nothing when npy_parse() made it and to the
     * element when npy_read() did. */
    const void *data;

    void *memory; /* what npy_free() frees; NULL after npy_parse() */
};

/* Bytes of a message. */
#define NPY_MESSAGE_BYTES 256

/* "float32" */
const char *npy_type_name(enum npy_type type);

/* Reads the 'size' bytes of a file; array->data points into them.  Returns 0,
 * or -1 with the message set: one line without its end. */
int npy_parse(const unsigned char *bytes, size_t size, struct npy *array,
              char *message, size_t message_size);

/* Reads the file of this name.  Like npy_parse(), but the array owns its
 * memory, and after a failure errno is ENOMEM if and only if memory was short.
 */
int npy_read(const char *path, struct npy *array, char *message,
             size_t message_size);

/* Frees what npy_read() read; an array of all zeros holds nothing. */
void npy_free(struct npy *array);

#endif
