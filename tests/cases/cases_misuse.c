/*
 * cases_misuse.c - public faults of values and ids out of their ranges
 *
 * What is wrong with a whole call is in api_checks.c.
 */

#include "case_check.h"
#include "oracle.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOAT_FIELD(field)                                                     \
    {                                                                          \
#field, offsetof(struct tessera_params, field)                         \
    }

static const struct field {
    const char *name;
    size_t offset;
} float_fields[] = {
    FLOAT_FIELD(temperature),
    FLOAT_FIELD(top_p),
    FLOAT_FIELD(min_p),
    FLOAT_FIELD(repetition_penalty),
    FLOAT_FIELD(frequency_penalty),
    FLOAT_FIELD(presence_penalty),
};

enum { FLOAT_FIELDS = sizeof(float_fields) / sizeof(float_fields[0]) };

static void set(struct test_row *row, const struct field *field, float value)
{
    memcpy((char *)&row->params + field->offset, &value, sizeof(value));
}

static enum tessera_status check(const struct test_row *row)
{
    const struct tessera_edits edits = {
        .vocab = row->vocab,
        .bias_count = (int32_t)row->bias.count,
        .ban_count = (int32_t)row->bans.count,
        .biases = row->bias.biases,
        .bans = row->bans.ids,
    };

    return tessera_params_check(&row->params, &edits);
}

/* An invalid row, and a check that says so naming 'name'. */
static void expect_invalid(const struct test_row *row, const char *name)
{
    EXPECT_NOTHING(*row, TESSERA_ROW_INVALID);
    cr_assert(check(row) == TESSERA_BAD_ARGUMENT, "%s is taken", name);
    cr_assert(strstr(tessera_last_error(), name), "'%s' does not name %s",
              tessera_last_error(), name);
}

static void expect_legal(const struct test_row *row, const char *name)
{
    EXPECT(*row, .status = TESSERA_ROW_OK);
    cr_assert(check(row) == TESSERA_OK, "%s: %s", name, tessera_last_error());
}

/* API-01, vllm#45116: x < 0 is false for NaN, so a check let it through and
 * the row became NaN. */
Test(cases_misuse, nan_and_infinity_as_parameters)
{
    static const float values[] = {NAN, INFINITY, -INFINITY};

    for (size_t i = 0; i < 2 * FLOAT_FIELDS * 3; i++) {
        const struct field *field = &float_fields[i / 3 % FLOAT_FIELDS];
        struct test_row row = ROW(1, 2, 3);

        row.params.temperature = i < FLOAT_FIELDS * 3;
        set(&row, field, values[i % 3]);
        expect_invalid(&row, field->name);
    }
}

/* API-01: of the three only -inf is legal as a bias, and bans. */
Test(cases_misuse, nan_and_infinity_as_bias)
{
    for (int greedy = 0; greedy < 2; greedy++) {
        struct test_row row = ROW(1, 2, 3);

        row.params.temperature = greedy ? 0 : 1;
        row.bias = BIASES({0, NAN});
        expect_invalid(&row, "bias");
        row.bias = BIASES({0, INFINITY});
        expect_invalid(&row, "bias");
        row.bias = BIASES({0, -INFINITY});
        expect_legal(&row, "a bias of -inf");
    }
    struct test_row row = ROW(1, 2, 3);
    row.bias = BIASES({0, -INFINITY});
    EXPECT(row, .kept = IDS(1, 2));
    row.params.temperature = 0;
    EXPECT(row, .kept = IDS(2), .draws = ALWAYS(2));
}

/* API-02 (a), vllm#1748 and sglang#28153: one project's "off" is another's
 * error: -1, 0, values above 1. */
Test(cases_misuse, the_ends_of_every_range_are_legal)
{
    static const float ends[FLOAT_FIELDS][2] = {{-0.0f, 1e6f}, {0, 1},
                                                {0, 1},        {1e-45f, 1e6f},
                                                {-1e6f, 1e6f}, {-1e6f, 1e6f}};

    for (size_t i = 0; i < 2 * FLOAT_FIELDS; i++) {
        struct test_row row = ROW(1, 2, 3);

        row.generated = IDS(0, 2);
        set(&row, &float_fields[i / 2], ends[i / 2][i % 2]);
        expect_legal(&row, float_fields[i / 2].name);
    }
    struct test_row row = ROW(1, 2, 3);
    row.params.temperature = -0.0f;
    EXPECT(row, .kept = IDS(2), .weight_sum = ONE, .draws = ALWAYS(2));

    row = ROW(1, 2, 3);
    row.params.top_k = -1;
    EXPECT(row, .kept = IDS(0, 1, 2));
    row.params.top_k = INT32_MAX;
    EXPECT(row, .kept = IDS(0, 1, 2));
    row.params.penalty_window = INT32_MIN;
    row.params.presence_penalty = 10;
    row.params.temperature = 0;
    row.generated = IDS(2);
    EXPECT(row, .kept = IDS(1), .draws = ALWAYS(1));
}

/* API-02 (b). */
Test(cases_misuse, values_just_past_a_range_are_invalid)
{
    static const float past[FLOAT_FIELDS][2] = {
        {-1e-45f, 1000000.06f},      {-1e-45f, 1.0000001f},
        {-1e-45f, 1.0000001f},       {0, -1},
        {1000000.06f, -1000000.06f}, {1000000.06f, -1000000.06f}};

    for (size_t i = 0; i < 2 * FLOAT_FIELDS; i++) {
        struct test_row row = ROW(1, 2, 3);

        set(&row, &float_fields[i / 2], past[i / 2][i % 2]);
        expect_invalid(&row, float_fields[i / 2].name);
    }
    struct test_row row = ROW(1, 2, 3);
    row.params.top_k = -2;
    expect_invalid(&row, "top_k");
}

/* API-02 (a): the largest vocabulary, and the largest sum there is. */
Test(cases_misuse, vocabularies_of_1_and_of_4194304)
{
    enum { STEPS_HERE = 4 };
    int32_t vocab = TESSERA_MAX_VOCAB;
    float *logits = calloc((size_t)vocab, sizeof(*logits));
    struct test_row one = ROW(7);
    struct test_row rows[STEPS_HERE];
    const struct layout layout = {.shared = true};

    EXPECT(one, .kept = IDS(0), .weight_sum = ONE, .draws = ALWAYS(0));
    for (size_t i = 0; i < STEPS_HERE; i++) {
        rows[i] = row_of(TESSERA_FLOAT32, vocab, logits);
        rows[i].params.step = i;
    }
    for (EACH_BACKEND(backend)) {
        struct call call;

        call_build(&call, backend, rows, STEPS_HERE, &layout, NULL);
        call.outputs.rank = NULL;
        call.outputs.raw_logprob = NULL;
        cr_assert(call_run(&call) == TESSERA_OK);
        for (size_t i = 0; i < STEPS_HERE; i++) {
            struct row_result result = call_result(&call, i);
            uint64_t token = scaled(oracle_random(42, 0, i), TESSERA_MAX_VOCAB);

            cr_assert(result.token == (int32_t)token &&
                          result.n_kept == vocab &&
                          result.weight_sum == UINT64_C(1) << 62,
                      "%s, step %zu: token %d of %d", backend->name, i,
                      result.token, result.n_kept);
        }
        call_free(&call);
    }
    free(logits);
}

/* API-02 (c). */
Test(cases_misuse, vocabularies_of_0_and_of_4194305_are_refused)
{
    static const int32_t vocabs[] = {0, TESSERA_MAX_VOCAB + 1, -1, INT32_MIN};

    for (EACH_BACKEND(backend))
        for (size_t i = 0; i < 4; i++) {
            struct tessera_config config = TESSERA_CONFIG_INIT;
            struct tessera_sampler *sampler = NULL;

            config.device = backend->device;
            config.vocab = vocabs[i];
            cr_assert(tessera_create(&config, &sampler) == TESSERA_BAD_ARGUMENT,
                      "%s: vocab %d", backend->name, vocabs[i]);
            cr_assert(!sampler && strstr(tessera_last_error(), "vocab"), "'%s'",
                      tessera_last_error());
        }
}

/* API-03, vllm#16529: a bias id of V wrote past the row; two entries for one
 * id were summed, or only the first counted. */
Test(cases_misuse, ids_out_of_range_or_out_of_order_or_listed_twice)
{
    const struct bias_list biases[] = {
        BIASES({3, 1}),         BIASES({-1, 1}),
        BIASES({1, 2}, {1, 3}), BIASES({1, -INFINITY}, {1, -INFINITY}),
        BIASES({2, 1}, {0, 1}),
    };
    const struct id_list bans[] = {IDS(3), IDS(-1)};
    struct test_row row = ROW(1, 2, 3);

    for (size_t i = 0; i < 5; i++) {
        row.bias = biases[i];
        expect_invalid(&row, "bias");
    }
    row.bias = (struct bias_list){NULL, 0};
    for (size_t i = 0; i < 2; i++) {
        row.bans = bans[i];
        expect_invalid(&row, "ban");
    }
    row.bans = IDS(1, 1);
    EXPECT(row, .kept = IDS(0, 2));
    expect_legal(&row, "a ban that repeats");
}

/* The same where several threads share a list: each entry is looked at. */
Test(cases_misuse, ids_out_of_range_far_in_a_list)
{
    enum { VOCAB = 1000, ENTRIES = 600 };
    static const size_t places[] = {1, 255, 256, 300, 513, ENTRIES - 1};
    static float logits[VOCAB];
    struct tessera_bias biases[ENTRIES];
    int32_t bans[ENTRIES];
    struct test_row row = row_of(TESSERA_FLOAT32, VOCAB, logits);

    for (int32_t i = 0; i < ENTRIES; i++) {
        biases[i] = (struct tessera_bias){VOCAB - ENTRIES + i, 1};
        bans[i] = i % 2;
    }
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct tessera_bias *bias = &biases[places[i]];
        int32_t *ban = &bans[places[i]];
        const struct tessera_bias wrong_biases[] = {
            {bias->token, NAN}, {bias[-1].token, 1}, {VOCAB, 1}};
        const int32_t wrong_bans[] = {VOCAB, -1};
        const struct tessera_bias right_bias = *bias;
        const int32_t right_ban = *ban;

        row.bans = (struct id_list){NULL, 0};
        row.bias = (struct bias_list){biases, ENTRIES};
        for (size_t j = 0; j < 3; j++) {
            *bias = wrong_biases[j];
            expect_invalid(&row, "bias");
        }
        *bias = right_bias;
        row.bans = (struct id_list){bans, ENTRIES};
        for (size_t j = 0; j < 2; j++) {
            *ban = wrong_bans[j];
            expect_invalid(&row, "ban");
        }
        *ban = right_ban;
    }
}

/* A list ends where its row's does, whatever the next row's begins with. */
Test(cases_misuse, ids_out_of_range_in_the_next_row)
{
    enum { VOCAB = 1000, ENTRIES = 600, STEP = 50 };
    static float logits[VOCAB];
    struct tessera_bias right_biases[ENTRIES], wrong_biases[ENTRIES];
    int32_t right_bans[ENTRIES], wrong_bans[ENTRIES];
    const struct layout layout = {0};

    for (int32_t i = 0; i < ENTRIES; i++) {
        right_biases[i] = (struct tessera_bias){i, 1};
        wrong_biases[i] = (struct tessera_bias){VOCAB, 1};
        right_bans[i] = i;
        wrong_bans[i] = VOCAB;
    }
    for (size_t count = 1; count <= ENTRIES; count += STEP)
        for (EACH_BACKEND(backend)) {
            struct test_row rows[2];
            struct row_result results[2];

            for (size_t i = 0; i < 2; i++)
                rows[i] = row_of(TESSERA_FLOAT32, VOCAB, logits);
            rows[0].bias = (struct bias_list){right_biases, count};
            rows[0].bans = (struct id_list){right_bans, count};
            rows[1].bias = (struct bias_list){wrong_biases, ENTRIES};
            rows[1].bans = (struct id_list){wrong_bans, ENTRIES};
            run_rows(backend, rows, 2, &layout, results);
            cr_assert(results[0].status == TESSERA_ROW_OK &&
                          results[1].status == TESSERA_ROW_INVALID,
                      "%s, %zu entries: statuses %u and %u", backend->name,
                      count, results[0].status, results[1].status);
        }
}

/* API-04 (b), flashinfer#1634 and vllm#22963: a wrong index was followed, and
 * rows read what came next.  The other rows answer as if alone. */
Test(cases_misuse, indices_past_their_tables_make_their_row_invalid)
{
    enum { BATCH = 6, MASKS = 8 };
    static const uint32_t masks[MASKS] = {7, 7, 7, 7, 7, 7, 7, 4};
    static const int32_t row_index[] = {0, -1, 1, INT32_MIN, INT32_MAX, 0};
    static const int32_t mask_index[] = {-2,        MASKS,     INT32_MIN,
                                         INT32_MAX, MASKS - 1, -1};
    static const int32_t tokens[][BATCH] = {{0, -1, -1, -1, -1, 0},
                                            {-1, -1, -1, -1, 2, 0}};
    const struct layout layout = {0};
    struct test_row row = ROW(3, 2, 1);
    struct test_row rows[BATCH];

    row.params.temperature = 0;
    for (size_t i = 0; i < BATCH; i++)
        rows[i] = row;
    for (EACH_BACKEND(backend))
        for (int of_masks = 0; of_masks < 2; of_masks++) {
            struct call call;

            call_build(&call, backend, rows, BATCH, &layout, NULL);
            if (of_masks) {
                call.batch.masks = masks;
                call.batch.mask_stride = 1;
                call.batch.mask_count = MASKS;
                call.batch.mask_index = mask_index;
            } else {
                call.batch.row_index = row_index;
                call.batch.logits_rows = 1;
            }
            cr_assert(call_run(&call) == TESSERA_OK, "%s",
                      tessera_last_error());
            for (size_t i = 0; i < BATCH; i++) {
                struct row_result result = call_result(&call, i);
                int32_t token = tokens[of_masks][i];

                cr_assert(result.token == token &&
                              result.status == (token < 0 ? TESSERA_ROW_INVALID
                                                          : TESSERA_ROW_OK),
                          "%s, row %zu: token %d, status %u", backend->name, i,
                          result.token, result.status);
            }
            call_free(&call);
        }
}

/* API-04: without an index array row i has mask i. */
Test(cases_misuse, without_a_mask_index_row_i_has_mask_i)
{
    static const uint32_t masks[] = {1, 2, 4, 6};
    struct test_row row = ROW(3, 2, 1);
    struct test_row rows[] = {row, row, row, row};
    const struct answer answers[] = {{.kept = IDS(0)},
                                     {.kept = IDS(1)},
                                     {.kept = IDS(2)},
                                     {.kept = IDS(1, 2)}};

    for (size_t i = 0; i < 4; i++)
        rows[i].mask = &masks[i];
    EXPECT_BATCH(rows, answers);
}
