/*
 * choose_shape.c - the plan fused covers every row, whatever the chip
 */

#include "../../kernels/choose_plan.h"

#include <criterion/criterion.h>

enum { TILE = 1024 };

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
    struct tessera_chip chip = {multiprocessors};
    struct tessera_shape_request request = {vocab, rows, most, TILE};

    return tessera_choose_shape(&chip, &request);
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
                    struct tessera_chip chip = {chips[c]};
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
            struct tessera_chip chip = {chips[c]};
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
