/*
 * variants.h - which instruction set the loops use
 */

#ifndef TESSERA_CPU_VARIANTS_H
#define TESSERA_CPU_VARIANTS_H

#include "loops.h"

/* The loops that TESSERA_CPU_VARIANT names; without it, the fastest that this
 * machine runs.  TESSERA_UNAVAILABLE when it names none of those. */
enum tessera_status tessera_cpu_variant(const struct cpu_loops **loops);

/* The variants that this machine runs, the fastest first; NULL past the last.
 */
const struct cpu_loops *tessera_cpu_variant_at(size_t index);

#endif
