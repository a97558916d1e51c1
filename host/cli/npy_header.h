/*
 * npy_header.h - the Python literal in which a .npy file says what it holds
 */

#ifndef TESSERA_CLI_NPY_HEADER_H
#define TESSERA_CLI_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPY_DESCR_BYTES 16
#define NPY_MAX_DIMENSIONS 32

struct npy_header {
    /* The type's name, "<f4": printable ASCII. */
    char descr[NPY_DESCR_BYTES];
    bool fortran_order;
    int dimensions;
    uint64_t shape[NPY_MAX_DIMENSIONS];
};

/*
 * Reads a dict with the keys descr, fortran_order and shape, each once, in any
 * order.  Returns NULL, or what is wrong: a phrase that follows "its header".
 */
const char *npy_header_parse(const char *text, size_t size,
                             struct npy_header *header);

#endif
