/*
 * option_faults.h - say which argument argp could not read, and why
 */

#ifndef TESSERA_CLI_OPTION_FAULTS_H
#define TESSERA_CLI_OPTION_FAULTS_H

#include <argp.h>

/* Reports the fault at which argp stopped without calling a parser: an unknown
 * or ambiguous option, a value missing or too many.  'next' is
 * argp_state.next; argp reads in order (ARGP_IN_ORDER). */
void option_fault(const struct argp *root, char **argv, int next);

#endif
