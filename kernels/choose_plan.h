/*
 * choose_plan.h - how a call is spread over a chip
 *
 * Pure functions of sizes, in C so that they are tested where there is no GPU.
 * Any choice gives the same answers; these are for speed.
 */

#ifndef TESSERA_CHOOSE_PLAN_H
#define TESSERA_CHOOSE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TESSERA_CLUSTER_SIZES = 4 };

/* The chip, as far as it matters. */
struct tessera_chip {
    int32_t multiprocessors;
    int32_t resident_tiles; /* of a row, that a block holds on chip */

    /* Blocks, in clusters of 1, 2, 4 and 8, that it has at once; 0: it takes no
     * such clusters. */
    int32_t cluster_room[TESSERA_CLUSTER_SIZES];
};

/* What a chunk of rows may ask for. */
struct tessera_shape_request {
    int32_t vocab;
    int32_t rows;
    int32_t selected;    /* most tokens that select finds for a row */
    int32_t tile_tokens; /* parts are whole tiles */
    bool weighs; /* a row may need more than those, and be held on chip */
};

/* Parts of a row, a block each: the last may be shorter, none is empty. */
struct tessera_shape {
    int32_t select_parts;
    int32_t select_part_tiles;
    int32_t weigh_parts;
    int32_t weigh_part_tiles;

    /* Blocks of a cluster that has a row and answers it; 0: it doesn't go on
     * chip.  Of the last ones some may have no tiles. */
    int32_t cluster_blocks;
    int32_t resident_tiles; /* of a block */
};

struct tessera_shape
tessera_choose_shape(const struct tessera_chip *chip,
                     const struct tessera_shape_request *request);

/* The chip as it has to look for one small row to take the launches of rows on
 * chip, in its largest clusters, or those of rows that are not. */
struct tessera_chip tessera_chip_to_load(const struct tessera_chip *chip,
                                         bool on_chip);

/* Parts of all rows of a chunk together: at least those of any smaller chunk,
 * whatever it asks for. */
int64_t tessera_most_select_parts(const struct tessera_chip *chip,
                                  int32_t vocab, int32_t rows,
                                  int32_t tile_tokens);

#ifdef __cplusplus
}
#endif

#endif
