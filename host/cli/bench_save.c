/*
 * bench_save.c - write the logits of a measurement, for other programs
 */

#include "bench_workload.h"

#include "cli.h"
#include "gauss.h"

#include <stdio.h>
#include <string.h>

/* Format 1.0: a header's end is at a multiple of this. */
#define NPY_ALIGNMENT 64
#define NPY_PREFIX "\x93NUMPY\x01\x00"
#define NPY_PREFIX_BYTES 8

static void write_header(FILE *file, struct bench_shape shape)
{
    static const char *const types[] = {
        [TESSERA_FLOAT32] = "<f4",
        [TESSERA_FLOAT16] = "<f2",
        [TESSERA_BFLOAT16] = "<u2",
    };
    char header[2 * NPY_ALIGNMENT];
    size_t size = sizeof(header) - NPY_PREFIX_BYTES - 2;

    memset(header, ' ', sizeof(header));
    int used =
        snprintf(header, sizeof(header),
                 "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }",
                 types[shape.dtype], (int)shape.batch, (int)shape.vocab);
    header[used] = ' ';
    header[size - 1] = '\n';
    fwrite(NPY_PREFIX, 1, NPY_PREFIX_BYTES, file);
    fputc((int)(size & 0xff), file);
    fputc((int)(size >> 8), file);
    fwrite(header, 1, size, file);
}

int workload_save(const struct workload *workload, const char *path)
{
    struct bench_shape shape = workload->shape;
    FILE *file = fopen(path, "wb");

    if (!file)
        return report_file(path);
    write_header(file, shape);
    for (int32_t row = 0; row < shape.batch; row++)
        fwrite(workload_logits(workload, row), dtype_bytes(shape.dtype),
               (size_t)shape.vocab, file);

    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return report(CLI_FAILED, "%s: it cannot be written", path);
    return CLI_OK;
}
