/*
 * vectors.c - the reader of conformance vectors
 */

#include "../../host/cli/vectors.h"
#include "row_builder.h"
#include "vector_text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static enum vector_result read_text_case(const char *text,
                                         struct vector_case *read, char *error)
{
    /* The heap's exact size, so that a sanitizer sees a read past the end. */
    size_t size = strlen(text);
    char *bytes = malloc(size);
    memcpy(bytes, text, size);
    struct vector_reader reader = VECTOR_READER_INIT(bytes, size);

    enum vector_result result = vector_next(&reader, read, error);
    free(bytes);
    return result;
}

Test(vectors, every_field_is_read)
{
    struct vector_case read;
    char error[VECTOR_ERROR_BYTES] = "";

    cr_assert(
        eq(int, read_text_case(QUESTION ANSWER, &read, error), VECTOR_READ),
        "%s", error);
    cr_assert(eq(sz, read.line, 1));
    cr_assert(eq(int, read.dtype, TESSERA_FLOAT32));
    cr_assert(eq(i32, read.vocab, 3));
    cr_assert(eq(flt, read.params.temperature, 1.0f));
    cr_assert(eq(i32, read.params.top_k, 2));
    cr_assert(eq(flt, read.params.top_p, 0.5f));
    cr_assert(eq(flt, read.params.min_p, 0.1f));
    cr_assert(eq(flt, read.params.repetition_penalty, 1.0f));
    cr_assert(eq(i32, read.params.penalty_window, -1));
    cr_assert(eq(i32, read.params.penalize_prompt, 1));
    cr_assert(eq(u64, read.params.seed, 42));
    cr_assert(eq(u64, read.params.stream, 7));
    cr_assert(eq(u64, read.params.step, 16));
    cr_assert(eq(i32, read.steps, 2));
    cr_assert(eq(i32, read.prompt_length, 1));
    cr_assert(eq(i32, read.history_length, 2));
    cr_assert(eq(i32, read.history[1], -1));
    cr_assert(eq(i32, read.bias_count, 2));
    cr_assert(eq(i32, read.biases[0].token, 0));
    cr_assert(eq(flt, read.biases[0].value, 2.0f));
    cr_assert(eq(i32, read.ban_count, 2));
    cr_assert(eq(flt, ((const float *)read.logits)[2], -2.0f));
    cr_assert(eq(int, read.answer.kind, VECTOR_DRAW));
    cr_assert(eq(u32, read.answer.max, 0x40400000));
    cr_assert(eq(i32, read.answer.in, 1));
    cr_assert(eq(u64, read.answer.weight_sum, UINT64_C(1) << 40));
    cr_assert(eq(i32, read.answer.tokens[1], 0));
    cr_assert(eq(u32, read.answer.raw_logprob, 0xbeb2b1bc));
    vector_free(&read);
}

struct spoiled {
    const char *from;
    const char *to;
    const char *named; /* what the message must hold */
};

static const struct spoiled spoiled[] = {
    /* Order and separation of fields. */
    {"case", "Case", "line 1: question"},
    {"case dtype", "case  dtype", "line 1: dtype"},
    {"dtype=f ", "", "line 1: dtype"},
    {" V=3", " v=3", "line 1: V"},
    {"dtype=f V=3", "V=3 dtype=f", "line 1: dtype"},
    {"top_k=2", "top_k", "line 1: top_k"},
    {",c0000000\n", ",c0000000 \n", "line 1: end"},
    {",c0000000\n", ",c0000000\r\n", "line 1: logits"},
    {" logits=3f800000,0,c0000000", "", "line 1: logits"},
    {"raw=beb2b1bc\n", "raw=beb2b1bc", "line 2"},
    {"raw=beb2b1bc\n", "raw=beb2b1bc x=1\n", "line 2: end"},
    {ANSWER, "", "line 2"},
    {ANSWER, "\n" ANSWER, "line 2: answer"},
    {QUESTION, "\n" QUESTION, "line 1: question"},
    /* Numbers. */
    {"dtype=f", "dtype=g", "dtype"},
    {"V=3", "V=0", "V"},
    {"V=3", "V=4194305", "V"},
    {"V=3", "V=+3", "V"},
    {"V=3", "V=", "V"},
    {"V=3", "V=99999999999999999999", "V"},
    {"T=3f800000", "T=3f80000", "T"},
    {"T=3f800000", "T=3F800000", "T"},
    {"T=3f800000", "T=0x800000", "T"},
    {"top_k=2", "top_k=-2", "top_k"},
    {"top_k=2", "top_k=2147483648", "top_k"},
    {"top_p=3f000000", "top_p=1", "top_p"},
    {"min_p=3dcccccd", "min_p=3dcccccd0", "min_p"},
    {"rep=3f800000", "rep=", "rep"},
    {"freq=00000000", "freq=-0000000", "freq"},
    {"pres=00000000", "pres=0000000g", "pres"},
    {"window=-1", "window=--1", "window"},
    {"window=-1", "window=-2147483649", "window"},
    {"penalize_prompt=1", "penalize_prompt=2", "penalize_prompt"},
    {"seed=000000000000002a", "seed=2a", "seed"},
    {"sub=0000000000000007", "sub=00000000000000007", "sub"},
    {"step=0000000000000010", "step=00000000000000 0", "step"},
    {"nsteps=2", "nsteps=0", "nsteps"},
    {"nsteps=2", "nsteps=1048577", "nsteps"},
    {"prompt=1 ", "prompt=-1 ", "prompt"},
    /* Lists. */
    {"hist=2,-1", "hist=2,,1", "hist"},
    {"hist=2,-1", "hist=2,-1,", "hist"},
    {"hist=2,-1", "hist=2147483648", "hist"},
    {"bias=0:40000000", "bias=0:4000000", "bias"},
    {"bias=0:40000000", "bias=0", "bias"},
    {"bias=0:40000000", "bias=-1:40000000", "bias"},
    {",2:ff800000", ",3:ff800000", "bias"},
    {"banned=1,1", "banned=3", "banned"},
    {"banned=1,1", "banned=1;1", "banned"},
    {"3f800000,0,c0000000", "3f800000,0", "logits"},
    {"3f800000,0,c0000000", "3f800000,0,0,0", "logits"},
    {"3f800000,0,c0000000", "3f800000,,0", "logits"},
    {"3f800000,0,c0000000", "3f8000000,0,0", "logits"},
    {"dtype=f", "dtype=h", "logits"},
    {"3f800000,0,c0000000", "gauss:1:0", "logits"},
    {"3f800000,0,c0000000", "gauss:-1:0:1", "logits"},
    {"3f800000,0,c0000000", "gauss:1:0:-1", "logits"},
    {"3f800000,0,c0000000", "gauss:1:inf:1", "logits"},
    {"3f800000,0,c0000000", "gauss:1:0x1p3:1", "logits"},
    {"3f800000,0,c0000000", "gauss:1:.5:1", "logits"},
    {"3f800000,0,c0000000", "gauss:1:1.:1", "logits"},
    {"3f800000,0,c0000000", "gauss:1:0:1:", "logits"},
    {"3f800000,0,c0000000", "gauss:18446744073709551616:0:1", "logits"},
    /* What fields say together, and what no row may have. */
    {"prompt=1 ", "prompt=3 ", "prompt"},
    {"bias=0:40000000,2:", "bias=2:40000000,0:", "bias"},
    {"bias=0:40000000", "bias=0:7f800000", "bias"},
    {"T=3f800000", "T=bf800000", "temperature"},
    {"top_p=3f000000", "top_p=3f800001", "top_p"},
    {"min_p=3dcccccd", "min_p=7fc00000", "min_p"},
    {"rep=3f800000", "rep=00000000", "repetition_penalty"},
    {"step=0000000000000010", "step=4000000000000000", "step"},
    {"step=0000000000000010", "step=3fffffffffffffff", "step"},
    /* The answer. */
    {"draw nan", "drew nan", "line 2: answer"},
    {"nan=0", "nan=2", "line 2: nan"},
    {"max=40400000", "max=4040000", "line 2: max"},
    {" n=1", " n=-1", "line 2: n"},
    {"nk=1", "nk=", "line 2: nk"},
    {"np=1", "np=0x1", "line 2: np"},
    {"kept=1", "kept=2147483648", "line 2: kept"},
    {"S=1099511627776", "S=18446744073709551616", "line 2: S"},
    {"tokens=0,0", "tokens=0", "line 2: tokens"},
    {"tokens=0,0", "tokens=0,0,0", "line 2: tokens"},
    {"tokens=0,0", "tokens=", "line 2: tokens"},
    {"lp=00000000", "lp=0", "line 2: lp"},
    {"raw=beb2b1bc", "raw=beb2b1bz", "line 2: raw"},
    {"draw nan=0", "greedy nan=0", "line 2: token"},
    {"draw nan=0", "empty nan=0", "line 2: end"},
};

Test(vectors, every_malformed_field_is_refused_by_line_and_name)
{
    for (size_t i = 0; i < COUNT_OF(spoiled); i++) {
        char *text = changed(QUESTION ANSWER, spoiled[i].from, spoiled[i].to);
        struct vector_case read;
        char error[VECTOR_ERROR_BYTES] = "";

        cr_expect(eq(int, read_text_case(text, &read, error), VECTOR_MALFORMED),
                  "\"%s\" for \"%s\"", spoiled[i].to, spoiled[i].from);
        cr_expect(strncmp(error, "line ", 5) == 0 &&
                      strstr(error, spoiled[i].named) != NULL,
                  "\"%s\" for \"%s\": %s", spoiled[i].to, spoiled[i].from,
                  error);
        free(text);
    }
}

/* A case cut anywhere is refused; what is left of it is never a case. */
Test(vectors, no_beginning_of_a_case_is_a_case)
{
    const char *text = QUESTION ANSWER;

    for (size_t length = 1; length < strlen(text); length++) {
        char *cut = strndup(text, length);
        struct vector_case read;
        char error[VECTOR_ERROR_BYTES];

        cr_assert(eq(int, read_text_case(cut, &read, error), VECTOR_MALFORMED),
                  "of length %zu", length);
        free(cut);
    }
}

Test(vectors, a_message_is_one_printable_line)
{
    struct vector_case read;
    char error[VECTOR_ERROR_BYTES];

    cr_assert(eq(int,
                 read_text_case("case dtype=\033[2J\t\xff\n", &read, error),
                 VECTOR_MALFORMED));
    cr_assert(eq(str, error, "line 1: dtype: \"?[2J??\" is not f, h or b"));
}

Test(vectors, no_text_is_no_case)
{
    struct vector_reader reader = VECTOR_READER_INIT("", 0);
    struct vector_case read;
    char error[VECTOR_ERROR_BYTES];

    cr_assert(eq(int, vector_next(&reader, &read, error), VECTOR_END));
}

/* Half-way cases, the subnormal range and both ends, in each type. */
Test(vectors, logits_round_to_nearest_even)
{
    static const struct {
        float value;
        uint16_t float16;
        uint16_t bfloat16;
    } rounded[] = {
        {0.0f, 0x0000, 0x0000},
        {-0.0f, 0x8000, 0x8000},
        {1.0f, 0x3c00, 0x3f80},
        {0x1.002p0f, 0x3c00, 0x3f80},
        {0x1.006p0f, 0x3c02, 0x3f80},
        {0x1.01p0f, 0x3c04, 0x3f80},
        {0x1.03p0f, 0x3c0c, 0x3f82},
        {65519.0f, 0x7bff, 0x4780},
        {65520.0f, 0x7c00, 0x4780},
        {-1e30f, 0xfc00, 0xf14a},
        {0x1p-24f, 0x0001, 0x3380},
        {0x1p-25f, 0x0000, 0x3300},
        {0x1.8p-24f, 0x0002, 0x33c0},
        {0x1.ffcp-15f, 0x0400, 0x3880},
        {0x1.fffffep127f, 0x7c00, 0x7f80},
    };

    for (size_t i = 0; i < COUNT_OF(rounded); i++) {
        uint16_t float16, bfloat16;
        round_to_dtype(rounded[i].value, TESSERA_FLOAT16, &float16);
        round_to_dtype(rounded[i].value, TESSERA_BFLOAT16, &bfloat16);
        cr_expect(eq(u16, float16, rounded[i].float16), "%a",
                  (double)rounded[i].value);
        cr_expect(eq(u16, bfloat16, rounded[i].bfloat16), "%a",
                  (double)rounded[i].value);
    }
}
