/*
 * npy.c - arrays of numbers in NumPy's .npy format, as far as tessera uses it
 *
 * A file is: the magic string, two version bytes, the header's length (16 bits
 * little-endian in version 1, 32 from version 2 on), the header, the elements.
 */

#include "npy.h"

#include "npy_header.h"

#include <tessera.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define VERSION_END 8 /* magic and version */

static const struct {
    const char *descr;
    const char *name;
    size_t bytes;
} types[] = {
    [NPY_FLOAT32] = {"<f4", "float32", 4},
    [NPY_FLOAT16] = {"<f2", "float16", 2},
    [NPY_UINT16] = {"<u2", "uint16", 2},
    [NPY_UINT32] = {"<u4", "uint32", 4},
};

#define TYPE_COUNT (sizeof(types) / sizeof(types[0]))

const char *npy_type_name(enum npy_type type)
{
    return types[type].name;
}

__attribute__((format(printf, 3, 4))) static int
fail(char *message, size_t message_size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, message_size, format, arguments);
    va_end(arguments);
    return -1;
}

/* Where the header is, and in 'start' where the elements begin. */
static int find_header(const unsigned char *bytes, size_t size,
                       const char **header, size_t *header_size, size_t *start,
                       char *message, size_t message_size)
{
    if (size < MAGIC_BYTES || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0)
        return fail(message, message_size,
                    "not a .npy file: it does not begin with \\x93NUMPY");
    if (size < VERSION_END)
        return fail(message, message_size, "the file ends in its header");

    unsigned major = bytes[6];
    unsigned minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0)
        return fail(message, message_size,
                    ".npy format version %u.%u; 1.0, 2.0 and 3.0 are known",
                    major, minor);

    size_t length_bytes = major == 1 ? 2 : 4;
    if (size - VERSION_END < length_bytes)
        return fail(message, message_size, "the file ends in its header");
    *header_size = 0;
    for (size_t i = 0; i < length_bytes; i++)
        *header_size |= (size_t)bytes[VERSION_END + i] << 8 * i;
    *start = VERSION_END + length_bytes;
    if (size - *start < *header_size)
        return fail(message, message_size, "the file ends in its header");
    *header = (const char *)bytes + *start;
    *start += *header_size;
    return 0;
}

static int set_type(const char *descr, struct npy *array, char *message,
                    size_t message_size)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(descr, types[i].descr) == 0) {
            array->type = (enum npy_type)i;
            return 0;
        }
    }
    return fail(message, message_size,
                descr[0] == '>'
                    ? "type '%s' is big-endian; only little-endian is read"
                    : "type '%s'; only '<f4' (float32), '<f2' (float16), "
                      "'<u2' (uint16, bfloat16) and '<u4' (uint32, masks) are "
                      "read",
                descr);
}

static int set_shape(const struct npy_header *header, struct npy *array,
                     char *message, size_t message_size)
{
    if (header->dimensions != 1 && header->dimensions != 2)
        return fail(message, message_size,
                    "%d dimensions; 1 or 2 are read: [n] or [rows, n]",
                    header->dimensions);

    uint64_t columns = header->shape[header->dimensions - 1];
    uint64_t rows = header->dimensions == 2 ? header->shape[0] : 1;
    if (rows == 0 || columns == 0)
        return fail(message, message_size,
                    "shape [%" PRIu64 ", %" PRIu64 "] has no elements", rows,
                    columns);
    if (columns > TESSERA_MAX_VOCAB)
        return fail(message, message_size,
                    "%" PRIu64 " elements a row; the range is 1 .. %d", columns,
                    TESSERA_MAX_VOCAB);
    if (rows > INT32_MAX)
        return fail(message, message_size,
                    "%" PRIu64 " rows; the range is 1 .. 2147483647", rows);
    /* One row, or one column, is the same in both orders. */
    if (header->fortran_order && rows > 1 && columns > 1)
        return fail(message, message_size,
                    "Fortran order; save the array in C order "
                    "(numpy.ascontiguousarray)");
    array->dimensions = header->dimensions;
    array->rows = (size_t)rows;
    array->columns = (size_t)columns;
    return 0;
}

int npy_parse(const unsigned char *bytes, size_t size, struct npy *array,
              char *message, size_t message_size)
{
    struct npy_header header;
    const char *text = NULL;
    size_t text_size = 0;
    size_t start = 0;

    memset(array, 0, sizeof(*array));
    if (find_header(bytes, size, &text, &text_size, &start, message,
                    message_size) != 0)
        return -1;
    const char *fault = npy_header_parse(text, text_size, &header);
    if (fault)
        return fail(message, message_size, "its header %s", fault);
    if (set_type(header.descr, array, message, message_size) != 0 ||
        set_shape(&header, array, message, message_size) != 0)
        return -1;

    /* At most 2^31 * 2^22 * 4: no overflow where size_t has 64 bits. */
    size_t wanted = array->rows * array->columns * types[array->type].bytes;
    if (size - start != wanted)
        return fail(message, message_size,
                    "%zu bytes of data where its shape [%zu, %zu] of %s takes "
                    "%zu: the file is %s",
                    size - start, array->rows, array->columns,
                    types[array->type].name, wanted,
                    size - start < wanted ? "cut short" : "too long");
    array->data = bytes + start;
    return 0;
}

/* Reads to the end; NULL with errno set.  Stops early at bytes that cannot be
 * an array, so that an endless file of another kind is refused at once. */
static unsigned char *read_file(FILE *file, size_t *size)
{
    unsigned char *bytes = NULL;
    size_t capacity = 0;

    *size = 0;
    do {
        if (*size == capacity) {
            capacity = capacity == 0 ? (size_t)1 << 16 : capacity * 2;
            unsigned char *larger = realloc(bytes, capacity);
            if (!larger) {
                free(bytes);
                errno = ENOMEM;
                return NULL;
            }
            bytes = larger;
        }
        *size += fread(bytes + *size, 1, capacity - *size, file);
        if (*size >= MAGIC_BYTES && memcmp(bytes, MAGIC, MAGIC_BYTES) != 0)
            break;
    } while (!feof(file) && !ferror(file));
    if (ferror(file)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

int npy_read(const char *path, struct npy *array, char *message,
             size_t message_size)
{
    size_t size;

    memset(array, 0, sizeof(*array));
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(message, message_size, "%s", strerror(errno));
    unsigned char *bytes = read_file(file, &size);
    int error = errno;
    fclose(file);
    errno = error;
    if (!bytes)
        return fail(message, message_size, "%s", strerror(errno));
    errno = 0;
    if (npy_parse(bytes, size, array, message, message_size) != 0) {
        free(bytes);
        memset(array, 0, sizeof(*array));
        return -1;
    }

    /* A header may have any length; the elements go where they are aligned. */
    size_t data_bytes = array->rows * array->columns * types[array->type].bytes;
    memmove(bytes, array->data, data_bytes);
    array->data = bytes;
    array->memory = bytes;
    return 0;
}

void npy_free(struct npy *array)
{
    free(array->memory);
    memset(array, 0, sizeof(*array));
}
