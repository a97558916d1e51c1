/*
 * backends.h - backends by the names that people type
 */

#ifndef TESSERA_CLI_BACKENDS_H
#define TESSERA_CLI_BACKENDS_H

#include "cli.h"

/* What --backend and --plan ask for. */
struct backend_choice {
    bool automatic; /* the best that is here */
    enum tessera_device device;
    int32_t ordinal;
    uint32_t plans; /* one bit of enum tessera_plan; 0: any */
};

/* The values of --backend and --plan, for messages and help. */
#define BACKEND_NAMES "auto, reference, cpu or cuda[:N]"
#define PLAN_NAMES "auto, staged or fused"

/* Reads "cuda:1".  False: it names none.  The plans stay as they are. */
bool backend_parse(const char *text, struct backend_choice *choice);

/* Reads "staged".  False: it names none. */
bool plan_parse(const char *text, uint32_t *plans);

/* "cuda".  The names of the backends are those of enum tessera_device. */
const char *backend_name(enum tessera_device device);

/* The devices of enum tessera_device, from the plainest to the fastest. */
#define BACKEND_COUNT 3

/* "staged"; "auto" for any. */
const char *plan_name(uint32_t plans);

/* The plans of enum tessera_plan: the bits from 1 on. */
#define PLAN_COUNT 2

/* "reference", or "cuda staged" where one plan was chosen. */
#define BACKEND_LABEL_BYTES 24
void backend_label(const struct backend_choice *choice,
                   char label[BACKEND_LABEL_BYTES]);

/* Why there is no device of this kind, as the library says it: "this build has
 * no such backend".  Valid until the next failing call of the library. */
const char *backend_absence(enum tessera_device device);

/* Why none of the plans asked for is here, as the library says it; NULL: one
 * is, or that was not to be learned. */
const char *plan_absence(const struct backend_choice *choice);

/* Settles an automatic choice.  CLI_OK, or 'missing' after one line when the
 * choice is not here; CLI_USAGE for a plan of a backend that has none. */
int backend_settle(struct backend_choice *choice, enum cli_exit missing);

/* Lists the backends that are here, cuda once for each of its plans; of an
 * automatic choice all, otherwise those that it permits.  CLI_OK, or, after
 * one line, as backend_settle(). */
#define BACKENDS_MOST (BACKEND_COUNT - 1 + PLAN_COUNT)
int backends_here(const struct backend_choice *asked, enum cli_exit missing,
                  struct backend_choice choices[BACKENDS_MOST], size_t *count);

#endif
