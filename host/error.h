/*
 * error.h - the text of this thread's last error
 */

#ifndef TESSERA_ERROR_H
#define TESSERA_ERROR_H

#include <tessera.h>

/* Sets the text of tessera_last_error() and returns 'status'.  A text names
 * argument, value and range: "batch.rows is 9; its range is 0 .. 8". */
__attribute__((format(printf, 2, 3))) enum tessera_status
tessera_fail(enum tessera_status status, const char *format, ...);

/* The status of this thread's last error: TESSERA_OK when there was none. */
enum tessera_status tessera_last_status(void);

#endif
