/*
 * backends.h - backends by the names that people type
 */

#ifndef TESSERA_CLI_BACKENDS_H
#define TESSERA_CLI_BACKENDS_H

#include "cli.h"

/* What --backend asks for. */
struct backend_choice {
    bool automatic; /* the best that is here */
    enum tessera_device device;
    int32_t ordinal;
};

/* The values of --backend, for messages and help. */
#define BACKEND_NAMES "auto, reference, cpu or cuda[:N]"

/* Reads "cuda:1".  False: it names none. */
bool backend_parse(const char *text, struct backend_choice *choice);

/* "cuda".  The names of the backends are those of enum tessera_device. */
const char *backend_name(enum tessera_device device);

/* The devices of enum tessera_device, from the plainest to the fastest. */
#define BACKEND_COUNT 3

/* Why there is no device of this kind, as the library says it: "this build has
 * no such backend".  Valid until the next failing call of the library. */
const char *backend_absence(enum tessera_device device);

/* Settles an automatic choice.  CLI_OK, or 'missing' after one line when the
 * choice is not here. */
int backend_settle(struct backend_choice *choice, enum cli_exit missing);

#endif
