/*
 * environment.h - the contract's floating-point environment, for a while
 *
 * The contract rounds to nearest and keeps subnormals.  A host program may
 * have set another rounding mode, flush-to-zero or trapping exceptions; its
 * settings must not change an answer, and must be there again afterwards.
 */

#ifndef TESSERA_ENVIRONMENT_H
#define TESSERA_ENVIRONMENT_H

#include <fenv.h>

/* Saves the caller's environment and sets the default one.  glibc's and musl's
 * FE_DFL_ENV clears flush-to-zero and denormals-are-zero too (x86: MXCSR;
 * aarch64: FPCR), and fesetenv() of a saved one brings them back. */
static inline void tessera_environment_enter(fenv_t *saved)
{
    fegetenv(saved);
    fesetenv(FE_DFL_ENV);
}

/* Restores it, exception flags included. */
static inline void tessera_environment_leave(const fenv_t *saved)
{
    fesetenv(saved);
}

#endif
