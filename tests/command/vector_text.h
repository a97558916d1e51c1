/*
 * vector_text.h - a good case of a vectors file, to be spoiled
 */

#ifndef TESSERA_TESTS_VECTOR_TEXT_H
#define TESSERA_TESTS_VECTOR_TEXT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Two draws from three tokens, of which one is banned; the history's first
 * entry is the prompt. */
#define QUESTION                                                               \
    "case dtype=f V=3 T=3f800000 top_k=2 top_p=3f000000 min_p=3dcccccd "       \
    "rep=3f800000 freq=00000000 pres=00000000 window=-1 penalize_prompt=1 "    \
    "seed=000000000000002a sub=0000000000000007 step=0000000000000010 "        \
    "nsteps=2 prompt=1 hist=2,-1 bias=0:40000000,2:ff800000 banned=1,1 "       \
    "logits=3f800000,0,c0000000\n"
#define RAW "beb2b1bc"
#define ANSWER                                                                 \
    "draw nan=0 max=40400000 n=1 nk=1 np=1 kept=1 S=1099511627776 "            \
    "tokens=0,0 lp=00000000 raw=" RAW "\n"

/* 'text' with the first 'from' changed to 'to'. */
static inline char *changed(const char *text, const char *from, const char *to)
{
    const char *found = strstr(text, from);
    char *result;

    cr_assert(found != NULL, "%s is not in the text", from);
    cr_assert(asprintf(&result, "%.*s%s%s", (int)(found - text), text, to,
                       found + strlen(from)) >= 0);
    return result;
}

#endif
