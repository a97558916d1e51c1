/*
 * error.c - the text of this thread's last error
 *
 * The one piece of state outside a sampler, with the status it was for.  A text
 * longer than the buffer is cut; none of the library's is.
 */

#include "error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[256];
static _Thread_local enum tessera_status last_status;

enum tessera_status tessera_fail(enum tessera_status status, const char *format,
                                 ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(last_error, sizeof(last_error), format, arguments);
    va_end(arguments);
    last_status = status;
    return status;
}

enum tessera_status tessera_last_status(void)
{
    return last_status;
}

const char *tessera_last_error(void)
{
    return last_error;
}

const char *tessera_status_name(enum tessera_status status)
{
    switch (status) {
    case TESSERA_OK:
        return "ok";
    case TESSERA_BAD_ARGUMENT:
        return "bad argument";
    case TESSERA_OUT_OF_MEMORY:
        return "out of memory";
    case TESSERA_UNAVAILABLE:
        return "unavailable";
    case TESSERA_CUDA_ERROR:
        return "CUDA error";
    case TESSERA_FATAL:
        return "fatal device error";
    }
    return "unknown status";
}
