/*
 * choose_shape.c - the plan fused covers every row, whatever the chip
 */

#include "../../kernels/choose_plan.h"

#include <criterion/criterion.h>

enum { TILE = 1024 };

/* Tiles that a block of an H200 holds. */
enum { HELD = 38 };

static const int32_t vocabs[] = {1,     8,      1024,   1025,   4096,
                                 20000, 128256, 151936, 262144, 4194304};
static const int32_t row_counts[] = {1,   2,   3,   8,    16,   64,
                                     128, 264, 512, 4096, 65535};
static const int32_t chips[] = {1, 16, 40, 132, 148};
static const int32_t selected[] = {1, 40, 1000, 1024};

#define EACH(i, list)                                                          \
    size_t i = 0;                                                              \
    i < sizeof(list) / sizeof(list[0]);                                        \
    i++

static struct tessera_shape shape_of(int32_t multiprocessors, int32_t vocab,
                                     int32_t rows, int32_t most)
{
    struct tessera_chip chip = {multiprocessors, 0, {0}};
    struct tessera_shape_request request = {vocab, rows, most, TILE, true};

    return tessera_choose_shape(&chip, &request);
}

/* Blocks of a row's cluster on an H200. */
static int32_t cluster_of(int32_t vocab, int32_t rows, bool weighs)
{
    struct tessera_chip chip = {132, HELD, {132, 132, 132, 128}};
    struct tessera_shape_request request = {vocab, rows, 1024, TILE, weighs};

    return tessera_choose_shape(&chip, &request).cluster_blocks;
}

/* Parts hold all tiles of a row, and the last is not empty. */
static void expect_covered(int32_t parts, int32_t part_tiles, int32_t vocab)
{
    int64_t tiles = (vocab + TILE - 1) / TILE;

    cr_assert(part_tiles >= 1 && parts >= 1);
    cr_assert((int64_t)parts * part_tiles >= tiles,
              "%d parts of %d tiles, vocab %d", parts, part_tiles, vocab);
    cr_assert((int64_t)(parts - 1) * part_tiles < tiles,
              "%d parts of %d tiles, vocab %d", parts, part_tiles, vocab);
}

Test(choose_shape, parts_cover_every_row_and_fit_the_workspace)
{
    for (EACH(c, chips))
        for (EACH(v, vocabs))
            for (EACH(r, row_counts))
                for (EACH(s, selected)) {
                    struct tessera_chip chip = {chips[c], 0, {0}};
                    struct tessera_shape shape = shape_of(
                        chips[c], vocabs[v], row_counts[r], selected[s]);

                    expect_covered(shape.select_parts, shape.select_part_tiles,
                                   vocabs[v]);
                    expect_covered(shape.weigh_parts, shape.weigh_part_tiles,
                                   vocabs[v]);
                    cr_assert((int64_t)shape.select_parts * row_counts[r] <=
                              tessera_most_select_parts(&chip, vocabs[v],
                                                        row_counts[r], TILE));
                }
}

Test(choose_shape, room_for_parts_never_falls_as_rows_grow)
{
    for (EACH(c, chips))
        for (EACH(v, vocabs)) {
            struct tessera_chip chip = {chips[c], 0, {0}};
            int64_t before = 0;

            for (int32_t rows = 1; rows < 1000; rows++) {
                int64_t parts =
                    tessera_most_select_parts(&chip, vocabs[v], rows, TILE);
                cr_assert(parts >= before, "%d rows", rows);
                before = parts;
            }
        }
}

/* One row uses as many SMs as it has work for; 264 blocks fill an H200. */
Test(choose_shape, few_rows_are_divided_and_many_are_not)
{
    cr_assert(shape_of(132, 128256, 1, 40).select_parts >= 30);
    cr_assert(shape_of(132, 128256, 64, 40).select_parts == 4);
    cr_assert(shape_of(132, 128256, 512, 40).select_parts == 1);
    cr_assert(shape_of(132, 128256, 512, 40).weigh_parts == 1);
}

/* Each part leaves a list as long as what is asked for. */
Test(choose_shape, parts_are_longer_where_more_is_asked_for)
{
    cr_assert(shape_of(132, 128256, 1, 1024).select_part_tiles == 8);
    cr_assert(shape_of(132, 128256, 1, 1).select_part_tiles == 4);
}

/* Whatever a block holds, the blocks of a cluster hold a row, or it goes
 * without one. */
Test(choose_shape, clusters_hold_their_rows)
{
    static const int32_t held[] = {1, 2, 3, HELD, 1000000};

    for (EACH(c, chips))
        for (EACH(v, vocabs))
            for (EACH(r, row_counts))
                for (int32_t most = 0; most <= 8; most = most ? most * 2 : 1)
                    for (EACH(h, held)) {
                        struct tessera_chip chip = {chips[c], held[h], {0}};
                        struct tessera_shape_request request = {
                            vocabs[v], row_counts[r], 1024, TILE, true};
                        for (int size = 0; 1 << size <= most; size++)
                            chip.cluster_room[size] = chips[c];
                        struct tessera_shape shape =
                            tessera_choose_shape(&chip, &request);
                        int64_t blocks = shape.cluster_blocks;
                        int64_t tiles = (vocabs[v] + TILE - 1) / TILE;

                        cr_assert(blocks >= 0 && blocks <= most &&
                                  (blocks & (blocks - 1)) == 0);
                        cr_assert(blocks == 0 ||
                                  (shape.resident_tiles >= 1 &&
                                   shape.resident_tiles <= held[h] &&
                                   shape.resident_tiles * blocks >= tiles));
                    }
}

/* Where a size has no room, the next smaller one serves. */
Test(choose_shape, clusters_are_of_sizes_that_the_chip_takes)
{
    struct tessera_chip chip = {132, HELD, {132, 132, 132, 0}};
    struct tessera_shape_request request = {128256, 1, 1024, TILE, true};

    cr_assert(tessera_choose_shape(&chip, &request).cluster_blocks == 4);
    chip.cluster_room[2] = 0;
    cr_assert(tessera_choose_shape(&chip, &request).cluster_blocks == 0);
    request.vocab = HELD * TILE;
    cr_assert(tessera_choose_shape(&chip, &request).cluster_blocks == 2);
}

/* At the sampler's making each launch is made once, by a row of few tokens. */
Test(choose_shape, a_small_row_loads_what_a_chip_has)
{
    struct tessera_chip chip = {132, HELD, {132, 132, 132, 128}};
    struct tessera_shape_request request = {8, 1, 1024, TILE, true};

    for (int size = 3; size >= -1; size--) {
        struct tessera_chip with = tessera_chip_to_load(&chip, true);
        struct tessera_chip without = tessera_chip_to_load(&chip, false);

        cr_assert(tessera_choose_shape(&with, &request).cluster_blocks ==
                  (size >= 0 ? 1 << size : 0));
        cr_assert(tessera_choose_shape(&without, &request).cluster_blocks == 0);
        if (size >= 0)
            chip.cluster_room[size] = 0;
    }
}

Test(choose_shape, clusters_are_as_large_as_the_chip_has_room_for)
{
    cr_assert(cluster_of(128256, 1, true) == 8);
    cr_assert(cluster_of(128256, 16, true) == 8);
    cr_assert(cluster_of(128256, 32, true) == 4);
    cr_assert(cluster_of(128256, 64, true) == 4);  /* no fewer hold a row */
    cr_assert(cluster_of(128256, 128, true) == 0); /* more than two turns */
    cr_assert(cluster_of(151936, 64, true) == 4);
    cr_assert(cluster_of(262144, 1, true) == 8);
    cr_assert(cluster_of(311296, 1, true) == 8);
    cr_assert(cluster_of(311297, 1, true) == 0);
    cr_assert(cluster_of(1000000, 1, true) == 0);
    cr_assert(cluster_of(32000, 128, true) == 1);
    cr_assert(cluster_of(1000, 1, true) == 1);
}

/* What is not held on chip saves no read, only launches. */
Test(choose_shape, rows_that_need_their_best_alone_have_clusters_if_few)
{
    cr_assert(cluster_of(128256, 1, false) == 8);
    cr_assert(cluster_of(128256, 32, false) == 4);
    cr_assert(cluster_of(128256, 64, false) == 0);
    cr_assert(cluster_of(32000, 128, false) == 1);
    cr_assert(cluster_of(32000, 512, false) == 0);
    cr_assert(cluster_of(1000000, 1, false) == 0);
}
