/*
 * select.c - where the order is cut, without sorting
 *
 * Tokens are thrown into buckets that follow the order, and those of the bucket
 * in which the need is met are picked out and cut in the same way.  The
 * buckets have the same width in x, which splits most lists at once; where they
 * fail to halve a list they take bits of the key instead, so no list takes more
 * than a few rounds.  The last few tokens are sorted.
 */

#include "select.h"

#include <math.h>

enum { BUCKETS = 512, FEW = 24 };

/* How tokens are told apart in one round. */
struct split {
    float high;
    float scale; /* buckets a unit of x; 0: by key */
    uint32_t high_key;
    uint32_t shift;
};

/* Unsigned integers in the order of floats. */
static uint32_t key_of(float x)
{
    uint32_t bits = tessera_bits_of(x + 0.0f); /* -0 is +0 */

    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static struct split split_range(float low, float high, bool by_key)
{
    struct split split = {.high = high, .high_key = key_of(high)};
    uint32_t range = split.high_key - key_of(low);

    while (range >> split.shift >= BUCKETS)
        split.shift++;
    float scale = (float)(BUCKETS - 1) / (high - low);
    if (!by_key && scale > 0 && scale <= 0x1p100f)
        split.scale = scale;
    return split;
}

/* From 0 for the best; never falls along the order. */
static size_t bucket_of(const struct split *split, float x)
{
    if (split->scale > 0)
        return (size_t)(int32_t)((split->high - x) * split->scale);
    return (split->high_key - key_of(x)) >> split->shift;
}

/* What is being selected from. */
struct selection {
    struct scratch *scratch;
    const struct weighing *weighing; /* NULL: each weighs 1 */
    const float *x;
    const int32_t *id;
    size_t count;
    float low;
    float high;
    uint64_t need;
};

/* The weights of up to a block of tokens from 'first' on. */
static const uint64_t *weights_of(const struct selection *selection,
                                  size_t first)
{
    struct scratch *scratch = selection->scratch;

    scratch->loops->weights(selection->x + first, selection->weighing,
                            scratch->weights);
    return scratch->weights;
}

static size_t chunk_of(const struct selection *selection, size_t first)
{
    size_t rest = selection->count - first;

    return rest < BLOCK_TOKENS ? rest : BLOCK_TOKENS;
}

static void fill_buckets(const struct selection *selection,
                         const struct split *split, uint64_t buckets[BUCKETS])
{
    memset(buckets, 0, BUCKETS * sizeof(*buckets));
    for (size_t first = 0; first < selection->count; first += BLOCK_TOKENS) {
        const float *x = selection->x + first;
        size_t chunk = chunk_of(selection, first);

        if (!selection->weighing) {
            for (size_t i = 0; i < chunk; i++)
                buckets[bucket_of(split, x[i])]++;
            continue;
        }
        const uint64_t *weights = weights_of(selection, first);
        for (size_t i = 0; i < chunk; i++)
            buckets[bucket_of(split, x[i])] += weights[i];
    }
}

/* Picks out what is in a bucket. */
static void narrow(struct selection *selection, const struct split *split,
                   size_t bucket)
{
    const struct token_list *picked = &selection->scratch->picked;
    float low = selection->high;
    float high = selection->low;
    size_t count = 0;

    for (size_t i = 0; i < selection->count; i++) {
        float x = selection->x[i];

        picked->x[count] = x;
        picked->id[count] = selection->id[i];
        count += bucket_of(split, x) == bucket;
    }
    for (size_t i = count; i % BLOCK_TOKENS != 0; i++)
        picked->x[i] = -INFINITY; /* where whole blocks are weighed */
    for (size_t i = 0; i < count; i++) {
        low = picked->x[i] < low ? picked->x[i] : low;
        high = picked->x[i] > high ? picked->x[i] : high;
    }
    selection->x = picked->x;
    selection->id = picked->id;
    selection->count = count;
    selection->low = low;
    selection->high = high;
}

/* Tokens with the same x, lower ids first. */
static struct cut cut_ties(struct selection *selection)
{
    uint64_t weight = 1;

    if (selection->weighing)
        weight = weights_of(selection, 0)[0];
    size_t kept = (size_t)((selection->need + weight - 1) / weight);
    return (struct cut){selection->x[0], selection->id[kept - 1]};
}

static struct cut cut_few(struct selection *selection)
{
    struct tessera_ranked ranked[FEW];
    const uint64_t *weights =
        selection->weighing ? weights_of(selection, 0) : NULL;

    /* Inserted in the order of ids, so equals stay in it. */
    for (size_t i = 0; i < selection->count; i++) {
        struct tessera_ranked token = {selection->x[i], selection->id[i],
                                       weights ? weights[i] : 1};
        size_t at = i;

        for (; at > 0 && token.x > ranked[at - 1].x; at--)
            ranked[at] = ranked[at - 1];
        ranked[at] = token;
    }

    uint64_t before = 0;
    size_t i = 0;
    for (;; i++) {
        before += ranked[i].weight;
        if (before >= selection->need)
            return (struct cut){ranked[i].x, ranked[i].token};
    }
}

struct cut select_cut(struct scratch *scratch, const struct token_list *list,
                      size_t count, float low, float high, uint64_t need,
                      const struct weighing *weighing)
{
    struct selection selection = {
        .scratch = scratch,
        .weighing = weighing,
        .x = list->x,
        .id = list->id,
        .count = count,
        .low = low,
        .high = high,
        .need = need,
    };
    bool by_key = false;

    while (selection.count > FEW && selection.low != selection.high) {
        struct split split = split_range(selection.low, selection.high, by_key);
        uint64_t buckets[BUCKETS];
        size_t before = selection.count;
        size_t bucket = 0;

        fill_buckets(&selection, &split, buckets);
        while (buckets[bucket] < selection.need)
            selection.need -= buckets[bucket++];
        narrow(&selection, &split, bucket);
        by_key = selection.count > before / 2;
    }
    return selection.count > FEW ? cut_ties(&selection) : cut_few(&selection);
}
