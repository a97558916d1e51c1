/*
 * check_row.h - what makes a row invalid
 *
 * Call within the contract's floating-point environment: with subnormals
 * flushed, a temperature of -1e-45 would pass as 0.
 */

#ifndef TESSERA_CHECK_ROW_H
#define TESSERA_CHECK_ROW_H

#include <tessera.h>

#include <stdbool.h>

/* The first parameter out of its range; NULL: none is. */
const struct tessera_parameter *
tessera_params_fault(const struct tessera_params *params);

/* Whether params are in range, bounds given by the call aside. */
static inline bool tessera_params_valid(const struct tessera_params *params)
{
    return tessera_params_fault(params) == NULL;
}

enum tessera_edit_fault {
    TESSERA_EDIT_OK,
    TESSERA_EDIT_BIAS_TOKEN,
    TESSERA_EDIT_BIAS_ORDER,
    TESSERA_EDIT_BIAS_VALUE,
    TESSERA_EDIT_BAN_TOKEN
};

/* The first fault among a row's edits, and in *index the entry it is at. */
enum tessera_edit_fault tessera_edits_fault(const struct tessera_edits *edits,
                                            int32_t *index);

/* Bits of enum tessera_stage that params use. */
uint32_t tessera_params_stages(const struct tessera_params *params);

#endif
