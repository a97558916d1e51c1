/*
 * case_check.c - a row with a known answer, asked on every backend at many
 * places of many batches
 */

#include "case_check.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* Rows longer than this are asked in one place only where tests are quick. */
#define LONG_VOCAB 1000

/* Where rows stand when they are asked. */
struct place {
    const char *name;
    bool alone;       /* a call for each row and step */
    bool among;       /* other rows stand between */
    bool reversed;    /* the last row first */
    bool steps_apart; /* a call for each step */
    bool quick;       /* one of the few, where calls take long */
    struct layout layout;
};

static const struct place places[] = {
    {.name = "alone", .alone = true, .steps_apart = true},
    {.name = "alone, params on the sampler's side",
     .alone = true,
     .steps_apart = true,
     .layout = {.params_memory = TESSERA_MEMORY_SAMPLER}},
    {.name = "a batch", .steps_apart = true},
    {.name = "a batch of all steps", .quick = true, .layout = {.shared = true}},
    {.name = "among others", .among = true, .layout = {.logits_gap = 3}},
    {.name = "among others, reversed",
     .among = true,
     .reversed = true,
     .quick = true,
     .layout = {.shared = true,
                .logits_gap = 1,
                .logits_shift = 1,
                .params_gap = 24,
                .params_memory = TESSERA_MEMORY_SAMPLER}},
};

/* One answer, and where it comes from. */
struct finding {
    const char *file;
    int line;
    const char *backend;
    const char *place;
    int32_t vocab;
    size_t row;
    size_t step;
    struct row_result processed; /* with processed and with raw lists */
    struct row_result raw;
};

#define CHECK(condition, finding, format, ...)                                 \
    cr_assert((condition), "%s:%d: %s, %s, row %zu, step +%zu: " format,       \
              (finding)->file, (finding)->line, (finding)->backend,            \
              (finding)->place, (finding)->row, (finding)->step, __VA_ARGS__)

/* The entry of a token in a list of top tokens, or its log-probability there
 * as bits; -1 and -inf where it is not listed. */
static int32_t place_in(const struct row_result *result, int32_t token)
{
    for (int32_t i = 0; i < TOP_N; i++)
        if (token >= 0 && result->top_tokens[i] == token)
            return i;
    return -1;
}

static uint32_t listed(const struct row_result *result, int32_t token)
{
    int32_t i = place_in(result, token);

    return i < 0 ? MINUS_INFINITY_BITS : result->top_logprobs[i];
}

/* What holds in every answer: its parts agree with one another. */
static void check_agreement(const struct finding *finding)
{
    const struct row_result *processed = &finding->processed;
    const struct row_result *raw = &finding->raw;
    int32_t token = processed->token;

    CHECK(processed->token == raw->token && processed->rank == raw->rank &&
              processed->logprob == raw->logprob &&
              processed->raw_logprob == raw->raw_logprob &&
              processed->n_kept == raw->n_kept &&
              processed->weight_sum == raw->weight_sum &&
              processed->status == raw->status,
          finding, "asking for raw lists changed an answer (token %d, was %d)",
          raw->token, token);
    CHECK(token >= -1 && token < finding->vocab, finding, "token %d of %d",
          token, finding->vocab);
    for (int32_t i = 0; i < TOP_N; i++) {
        CHECK((processed->top_tokens[i] != -1) == (i < processed->n_kept),
              finding, "entry %d of the list is token %d, %d are kept", i,
              processed->top_tokens[i], processed->n_kept);
        CHECK((processed->top_tokens[i] == -1) ==
                  (processed->top_logprobs[i] == MINUS_INFINITY_BITS),
              finding, "entry %d of the list is token %d with %08x", i,
              processed->top_tokens[i], processed->top_logprobs[i]);
    }
    if (token == -1) {
        CHECK(processed->status & (TESSERA_ROW_EMPTY | TESSERA_ROW_INVALID),
              finding, "no token, status %u", processed->status);
        CHECK(processed->n_kept == 0 && processed->weight_sum == 0 &&
                  processed->rank == 0 &&
                  processed->logprob == MINUS_INFINITY_BITS &&
                  processed->raw_logprob == MINUS_INFINITY_BITS &&
                  (raw->top_tokens[0] == -1 ||
                   processed->status & TESSERA_ROW_EMPTY),
              finding, "no token, but n_kept %d, rank %d, log-probability %08x",
              processed->n_kept, processed->rank, processed->logprob);
        return;
    }
    int32_t at = place_in(processed, token);
    CHECK(at >= 0 ? processed->top_logprobs[at] == processed->logprob
                  : processed->n_kept > TOP_N,
          finding, "token %d is number %d of the list, its own is %08x", token,
          at, processed->logprob);
    at = place_in(raw, token);
    CHECK(at >= 0 ? at + 1 == processed->rank &&
                        raw->top_logprobs[at] == processed->raw_logprob
                  : processed->rank > TOP_N,
          finding, "token %d is number %d of the raw list, its rank is %d",
          token, at, processed->rank);
}

static void check_answer(const struct finding *finding,
                         const struct answer *answer)
{
    const struct row_result *result = &finding->processed;
    bool nothing = answer->status & (TESSERA_ROW_EMPTY | TESSERA_ROW_INVALID);

    CHECK(result->status == answer->status, finding, "status is %u, not %u",
          result->status, answer->status);
    if (finding->step < answer->draws.count)
        CHECK(result->token == answer->draws.ids[finding->step], finding,
              "token is %d, not %d", result->token,
              answer->draws.ids[finding->step]);

    int32_t n_kept =
        answer->kept.ids ? (int32_t)answer->kept.count : answer->n_kept;
    if (n_kept > 0 || nothing)
        CHECK(result->n_kept == n_kept, finding, "n_kept is %d, not %d",
              result->n_kept, n_kept);
    for (size_t i = 0; i < answer->kept.count; i++)
        CHECK(place_in(result, answer->kept.ids[i]) >= 0, finding,
              "token %d is not kept", answer->kept.ids[i]);
    if (answer->weight_sum > 0 || nothing)
        CHECK(result->weight_sum == answer->weight_sum, finding,
              "weight_sum is %llu, not %llu",
              (unsigned long long)result->weight_sum,
              (unsigned long long)answer->weight_sum);
    for (size_t i = 0; i < answer->processed.count; i++)
        CHECK(listed(result, (int32_t)i) == answer->processed.bits[i], finding,
              "the log-probability of %zu is %08x, not %08x", i,
              listed(result, (int32_t)i), answer->processed.bits[i]);
    for (size_t i = 0; i < answer->raw.count; i++)
        CHECK(listed(&finding->raw, (int32_t)i) == answer->raw.bits[i], finding,
              "the raw log-probability of %zu is %08x, not %08x", i,
              listed(&finding->raw, (int32_t)i), answer->raw.bits[i]);
}

/* The rows of one call, and which row and step each asks; -1: a neighbour. */
struct asked {
    struct test_row rows[256];
    int32_t row_of[256];
    size_t step_of[256];
    size_t count;
};

static void add(struct asked *asked, const struct test_row *row, int32_t number,
                size_t step)
{
    size_t at = asked->count++;

    cr_assert(at < sizeof(asked->rows) / sizeof(asked->rows[0]));
    asked->rows[at] = *row;
    asked->rows[at].params.step += step;
    asked->row_of[at] = number;
    asked->step_of[at] = step;
}

static void ask(struct asked *asked, const struct backend *backend,
                const struct place *place, struct finding *finding,
                const struct answer *answers)
{
    struct layout layout = place->layout;
    struct row_result *processed =
        malloc(2 * asked->count * sizeof(*processed));
    struct row_result *raw = processed + asked->count;

    run_rows(backend, asked->rows, asked->count, &layout, processed);
    layout.top_raw = true;
    run_rows(backend, asked->rows, asked->count, &layout, raw);
    finding->backend = backend->name;
    finding->place = place->name;
    for (size_t i = 0; i < asked->count; i++) {
        finding->row = (size_t)asked->row_of[i];
        finding->step = asked->step_of[i];
        finding->processed = processed[i];
        finding->raw = raw[i];
        check_agreement(finding);
        if (asked->row_of[i] >= 0)
            check_answer(finding, &answers[asked->row_of[i]]);
    }
    free(processed);
    asked->count = 0;
}

static void ask_at(const struct backend *backend, const struct place *place,
                   struct finding *finding, const struct test_row *rows,
                   const struct answer *answers, size_t count, size_t steps)
{
    struct asked *asked = calloc(1, sizeof(*asked));
    struct test_row neighbours[NEIGHBOURS];
    size_t next = 0;

    make_neighbours(rows[0].type, rows[0].vocab, neighbours);
    for (size_t step = 0; step < steps; step++) {
        for (size_t i = 0; i < count; i++) {
            size_t row = place->reversed ? count - 1 - i : i;

            if (place->among)
                add(asked, &neighbours[next++ % NEIGHBOURS], -1, 0);
            add(asked, &rows[row], (int32_t)row, step);
            if (place->alone)
                ask(asked, backend, place, finding, answers);
        }
        if (place->steps_apart && asked->count > 0)
            ask(asked, backend, place, finding, answers);
    }
    if (asked->count > 0)
        ask(asked, backend, place, finding, answers);
    free_neighbours(neighbours);
    free(asked);
}

void expect_answers(const char *file, int line, const struct test_row *rows,
                    const struct answer *answers, size_t count)
{
    struct finding finding = {
        .file = file, .line = line, .vocab = rows[0].vocab};

    bool quick = tests_are_quick();
    size_t steps = quick && rows[0].vocab > LONG_VOCAB ? 2 : STEPS;

    for (EACH_BACKEND(backend))
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
            if (!quick || (places[i].quick &&
                           (rows[0].vocab <= LONG_VOCAB || !places[i].among)))
                ask_at(backend, &places[i], &finding, rows, answers, count,
                       steps);
}

void expect_same(const char *file, int line, const struct test_row *row,
                 const struct test_row *edited)
{
    const struct layout layout = {0};

    for (EACH_BACKEND(backend)) {
        struct row_result results[2];

        run_rows(backend, row, 1, &layout, &results[0]);
        run_rows(backend, edited, 1, &layout, &results[1]);
        for (size_t i = 0; i < 2; i++) {
            results[i].raw_logprob = 0;
            results[i].rank = 0;
        }
        cr_assert(memcmp(&results[0], &results[1], sizeof(results[0])) == 0,
                  "%s:%d: %s: token %d, sum %llu, log-probability %08x with "
                  "edits; %d, %llu, %08x with the logits edited",
                  file, line, backend->name, results[0].token,
                  (unsigned long long)results[0].weight_sum, results[0].logprob,
                  results[1].token, (unsigned long long)results[1].weight_sum,
                  results[1].logprob);
    }
}
