/*
 * oracle.c - the contract again: random numbers and the edits of a token
 *
 * Straight from the text of the contract and in another way than the stages:
 * each token looks for itself in every list.  Slow, and meant to be checked by
 * eye.
 */

#include "oracle.h"

#include "floats.h"

#include <float.h>
#include <math.h>

__extension__ typedef unsigned __int128 uint128;

uint64_t scaled(uint64_t random, uint64_t sum)
{
    return (uint64_t)((uint128)random * sum >> 64);
}

/* Philox4x32-10 (Salmon et al. 2011). */
uint64_t oracle_random(uint64_t seed, uint64_t stream, uint64_t step)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint32_t c0 = (uint32_t)step, c1 = (uint32_t)(step >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);

    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)c0 * 0xd2511f53;
        uint64_t b = (uint64_t)c2 * 0xcd9e8d57;

        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    return (uint64_t)c0 << 32 | c1;
}

float oracle_widen(const struct test_row *row, size_t token)
{
    if (row->type == TESSERA_FLOAT32)
        return ((const float *)row->logits)[token];

    uint16_t bits = ((const uint16_t *)row->logits)[token];
    if (row->type == TESSERA_BFLOAT16)
        return float_of_bits((uint32_t)bits << 16);

    int exponent = bits >> 10 & 31;
    int fraction = bits & 1023;
    float magnitude;
    if (exponent == 31)
        magnitude = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        magnitude = ldexpf((float)fraction, -24);
    else
        magnitude = ldexpf((float)(1024 + fraction), exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

float oracle_maximum(const struct test_row *row)
{
    float maximum = -INFINITY;
    bool nan;

    for (int32_t token = 0; token < row->vocab; token++)
        maximum =
            fmaxf(maximum, oracle_edit(row, token,
                                       oracle_widen(row, (size_t)token), &nan));
    return fminf(maximum, FLT_MAX);
}

static bool within(float value, float least, float most)
{
    return value >= least && value <= most;
}

bool oracle_valid(const struct test_row *row)
{
    const struct tessera_params *p = &row->params;
    int64_t last = -1;

    if (!within(p->temperature, 0, 1e6f) || p->top_k < -1 ||
        !within(p->top_p, 0, 1) || !within(p->min_p, 0, 1) ||
        !within(p->frequency_penalty, -1e6f, 1e6f) ||
        !within(p->presence_penalty, -1e6f, 1e6f) ||
        !within(p->repetition_penalty, FLT_TRUE_MIN, 1e6f) ||
        p->step >= UINT64_C(1) << 62)
        return false;
    for (size_t i = 0; i < row->bias.count; i++) {
        struct tessera_bias bias = row->bias.biases[i];

        if (bias.token <= last || bias.token >= row->vocab ||
            !within(bias.value, -INFINITY, FLT_MAX))
            return false;
        last = bias.token;
    }
    for (size_t i = 0; i < row->bans.count; i++)
        if (row->bans.ids[i] < 0 || row->bans.ids[i] >= row->vocab)
            return false;
    return true;
}

/* Section 2: mask, bias, repetition, frequency, presence of one token.  A
 * token that is out only gets further away from coming back. */
float oracle_edit(const struct test_row *row, int32_t token, float x, bool *nan)
{
    const struct tessera_params *p = &row->params;
    bool seen = false;
    int count = 0;

    if (row->mask && !(row->mask[token / 32] & UINT32_C(1) << token % 32))
        return -INFINITY;
    for (size_t i = 0; i < row->bans.count; i++)
        if (row->bans.ids[i] == token)
            return -INFINITY;
    if (isnan(x)) {
        *nan = true;
        return -INFINITY;
    }
    for (size_t i = 0; i < row->bias.count; i++)
        if (row->bias.biases[i].token == token)
            x = row->bias.biases[i].value == -INFINITY
                    ? -INFINITY
                    : x + row->bias.biases[i].value;

    /* Entries are numbered from the last on. */
    size_t entries = row->prompt.count + row->generated.count;
    for (size_t back = 0; back < entries; back++) {
        bool generated = back < row->generated.count;
        int32_t entry =
            generated ? row->generated.ids[row->generated.count - 1 - back]
                      : row->prompt.ids[entries - 1 - back];

        if (p->penalty_window >= 0 && back >= (size_t)p->penalty_window)
            break;
        if (entry == token) {
            seen = true;
            count += generated || p->penalize_prompt;
        }
    }
    if (seen)
        x = x > 0 ? x / p->repetition_penalty : x * p->repetition_penalty;
    if (count > 0) {
        float cost = p->frequency_penalty * (float)count;
        x = x - cost;
        x = x - p->presence_penalty;
    }
    return x;
}
