/*
 * cuda_driver.h - what is used of the CUDA driver, opened when it is asked for
 *
 * The command links neither the driver nor CUDA's runtime: the plugin carries
 * a runtime of its own, and streams are the same objects to both.  The types
 * are the driver's (tests/command/cuda_types.c compares them with cuda.h), but
 * for its result, which is this unsigned number; 0 is success.
 */

#ifndef TESSERA_CLI_CUDA_DRIVER_H
#define TESSERA_CLI_CUDA_DRIVER_H

#include <tessera.h>

typedef struct CUctx_st *cuda_context;
typedef struct CUevent_st *cuda_event;
typedef struct CUgraph_st *cuda_graph;
typedef struct CUgraphExec_st *cuda_graph_exec;
typedef unsigned long long cuda_address;

enum {
    CUDA_MEMORY_TYPE = 2,      /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE */
    CUDA_DEVICE_MEMORY = 2,    /* CU_MEMORYTYPE_DEVICE */
    CUDA_NON_BLOCKING = 1,     /* CU_STREAM_NON_BLOCKING */
    CUDA_CAPTURE_OF_THREAD = 1 /* CU_STREAM_CAPTURE_MODE_THREAD_LOCAL */
};

struct cuda_driver {
    unsigned (*init)(unsigned flags);
    unsigned (*error_name)(unsigned result, const char **name);
    unsigned (*device_get)(int *device, int ordinal);
    unsigned (*context_retain)(cuda_context *context, int device);
    unsigned (*context_release)(int device);
    unsigned (*context_set)(cuda_context context);
    unsigned (*pointer_attribute)(void *value, unsigned attribute,
                                  cuda_address address);
    unsigned (*stream_create)(tessera_stream *stream, unsigned flags);
    unsigned (*stream_destroy)(tessera_stream stream);
    unsigned (*stream_begin_capture)(tessera_stream stream, unsigned mode);
    unsigned (*stream_end_capture)(tessera_stream stream, cuda_graph *graph);
    unsigned (*event_create)(cuda_event *event, unsigned flags);
    unsigned (*event_destroy)(cuda_event event);
    unsigned (*event_record)(cuda_event event, tessera_stream stream);
    unsigned (*event_synchronize)(cuda_event event);
    unsigned (*event_elapsed)(float *ms, cuda_event start, cuda_event stop);
    unsigned (*graph_instantiate)(cuda_graph_exec *exec, cuda_graph graph,
                                  unsigned long long flags);
    unsigned (*graph_launch)(cuda_graph_exec exec, tessera_stream stream);
    unsigned (*graph_exec_destroy)(cuda_graph_exec exec);
    unsigned (*graph_destroy)(cuda_graph graph);
    unsigned (*copy)(cuda_address to, cuda_address from, size_t bytes,
                     tessera_stream stream);
};

/* The driver; NULL, and *why in words, where it is not.  It stays for as long
 * as the process lives. */
const struct cuda_driver *cuda_driver_open(const char **why);

#endif
