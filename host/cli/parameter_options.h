/*
 * parameter_options.h - the table of parameters as options and as help
 */

#ifndef TESSERA_CLI_PARAMETER_OPTIONS_H
#define TESSERA_CLI_PARAMETER_OPTIONS_H

#include <tessera.h>

#include <argp.h>

/* Room for an option's name, its dashes included. */
#define PARAMETER_NAME_BYTES 32

/* "top-p" */
void parameter_option_name(const struct tessera_parameter *parameter,
                           char name[PARAMETER_NAME_BYTES - 2]);

/* An option for each parameter, with keys from first_key on, hidden in argp's
 * help; NULL: no memory. */
struct argp_option *parameter_options_create(int first_key);
void parameter_options_free(struct argp_option *options);

/* 'doc' as argp takes it, before the options, \v, after them, with the help of
 * all parameters put in after the \v, in the order of their stages.  The caller
 * frees it; NULL: no memory. */
char *parameter_help(const char *doc);

#endif
