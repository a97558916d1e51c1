/*
 * philox.c - Philox4x32-10 gives its known answers
 */

#include "../../host/philox.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static void check(uint64_t seed, uint64_t stream, uint64_t step, uint32_t a,
                  uint32_t b, uint32_t c, uint32_t d)
{
    struct tessera_philox_words out = tessera_philox(seed, stream, step);

    cr_assert(eq(u32, out.word[0], a));
    cr_assert(eq(u32, out.word[1], b));
    cr_assert(eq(u32, out.word[2], c));
    cr_assert(eq(u32, out.word[3], d));
}

/* From the contract. */
Test(philox, gives_what_curand_gives)
{
    check(42, 0, 0, 0x9ceaf053, 0x77f5493b, 0x12bf50ad, 0x5742b3d7);
    check(42, 0, 1, 0xfcdb2127, 0x53ba6cfd, 0x838f5a6e, 0x744e06fb);
    check(0x123456789ABCDEF0, 7, 1, 0x1fdc6a16, 0x328be767, 0xbff8c872,
          0x9cbcc4fd);
}

/* From the authors' Random123, kat_vectors: counter words are (step, stream),
 * key words are the seed's, low word first. */
Test(philox, gives_the_known_answers_of_random123)
{
    check(0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    check(UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x408f276d, 0x41c83b0e,
          0xa20bc7c6, 0x6d5451fd);
    check(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88,
          0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}
