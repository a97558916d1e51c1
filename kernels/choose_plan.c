/*
 * choose_plan.c - how a call is spread over a chip
 */

#include "choose_plan.h"

/* Blocks of select that an SM has at once; see its launch bounds. */
#define SELECT_BLOCKS_AN_SM 2

/* A block of select is worth its start with so many tokens, and with so many
 * times the tokens that it finds: it leaves a list to merge. */
#define LEAST_SELECT_TOKENS 4096
#define LEAST_TOKENS_A_SELECTED 8

/* Tiles of a block of weigh: one for each of its 16 warps. */
#define LEAST_WEIGH_TILES 16

/* A block of a cluster is worth its place with so many tiles; and where a row
 * is not held on chip, it is better read by more blocks than a cluster has if
 * each would have more than so many. */
#define LEAST_CLUSTER_TILES 4
#define MOST_STREAMED_TILES 32

/* Turns in which the chip has the clusters of a call. */
#define MOST_TURNS 2

static int32_t round_up_div(int32_t a, int32_t b)
{
    return a / b + (a % b != 0);
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Tiles of a part so that no more than 'parts' are needed, none of which has
 * fewer than 'least' unless the row has. */
static int32_t tiles_of_part(int32_t tiles, int32_t parts, int32_t least)
{
    return smaller(larger(round_up_div(tiles, parts), least), tiles);
}

/* Blocks that fill the chip once, for each of the rows. */
static int32_t parts_for(const struct tessera_chip *chip, int32_t rows)
{
    return larger(SELECT_BLOCKS_AN_SM * chip->multiprocessors / rows, 1);
}

/*
 * The blocks of a row's cluster, or 0.  As many as the chip has room for at
 * once; if it has none for all rows, as few as hold a row, but only if that
 * saves reading it again, and in no more than two turns: while a cluster's
 * first block ranks and draws the others wait, which other blocks of select and
 * weigh would make use of.
 */
static int32_t cluster_for(const struct tessera_chip *chip,
                           const struct tessera_shape_request *request,
                           int32_t tiles)
{
    int32_t most = request->weighs ? chip->resident_tiles : MOST_STREAMED_TILES;
    int32_t fewest = 0;

    for (int32_t size = TESSERA_CLUSTER_SIZES - 1; size >= 0; size--) {
        int32_t blocks = 1 << size;
        int32_t own = round_up_div(tiles, blocks);
        int64_t wanted = (int64_t)request->rows * blocks;

        if (own > most)
            break;
        if ((own >= LEAST_CLUSTER_TILES || blocks == 1) &&
            wanted <= chip->cluster_room[size])
            return blocks;
        if (request->weighs &&
            wanted <= MOST_TURNS * (int64_t)chip->cluster_room[size])
            fewest = blocks;
    }
    return fewest;
}

struct tessera_shape
tessera_choose_shape(const struct tessera_chip *chip,
                     const struct tessera_shape_request *request)
{
    struct tessera_shape shape;
    int32_t tiles = round_up_div(request->vocab, request->tile_tokens);
    int32_t parts = parts_for(chip, request->rows);
    int32_t least = larger(LEAST_SELECT_TOKENS,
                           LEAST_TOKENS_A_SELECTED * request->selected);

    shape.select_part_tiles =
        tiles_of_part(tiles, parts, round_up_div(least, request->tile_tokens));
    shape.select_parts = round_up_div(tiles, shape.select_part_tiles);
    shape.weigh_part_tiles = tiles_of_part(tiles, parts, LEAST_WEIGH_TILES);
    shape.weigh_parts = round_up_div(tiles, shape.weigh_part_tiles);
    shape.cluster_blocks = cluster_for(chip, request, tiles);
    shape.resident_tiles = shape.cluster_blocks > 0
                               ? round_up_div(tiles, shape.cluster_blocks)
                               : 0;
    return shape;
}

struct tessera_chip tessera_chip_to_load(const struct tessera_chip *chip,
                                         bool on_chip)
{
    struct tessera_chip loaded = *chip;
    int32_t size = TESSERA_CLUSTER_SIZES - 1;

    while (on_chip && size >= 0 && chip->cluster_room[size] == 0)
        size--;
    for (int32_t other = 0; other < TESSERA_CLUSTER_SIZES; other++)
        if (!on_chip || other != size)
            loaded.cluster_room[other] = 0;
    return loaded;
}

int64_t tessera_most_select_parts(const struct tessera_chip *chip,
                                  int32_t vocab, int32_t rows,
                                  int32_t tile_tokens)
{
    int32_t tiles = round_up_div(vocab, tile_tokens);
    int32_t most =
        round_up_div(tiles, smaller(LEAST_SELECT_TOKENS / tile_tokens, tiles));
    int64_t filled = SELECT_BLOCKS_AN_SM * (int64_t)chip->multiprocessors;

    /* All rows in their smallest parts, or a chip full, or a part a row. */
    int64_t parts = (int64_t)most * rows;
    if (parts > filled)
        parts = filled;
    return parts > rows ? parts : rows;
}
