/*
 * vectors_answers.c - the conformance vectors, asked of stages and backends
 */

#include "../../host/cli/check.h"
#include "../../host/cli/vectors.h"
#include "../../host/stages/stages.h"
#include "batch_builder.h"
#include "row_builder.h"
#include "vector_text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *path_of(const char *file)
{
    char *path;

    cr_assert(asprintf(&path, "%s/vectors/%s", TESTS_DIR, file) >= 0);
    return path;
}

/* Each row's answer on the way, by the stages themselves. */
static void compare_stages(const char *file, const struct vector_case *asked)
{
    const struct vector_answer *answer = &asked->answer;
    const struct tessera_params *params = &asked->params;
    size_t vocab = (size_t)asked->vocab;
    struct tessera_row row = {
        .vocab = asked->vocab,
        .x = malloc(vocab * sizeof(float)),
        .weight_up_to = malloc(vocab * sizeof(uint64_t)),
        .ranked = malloc(vocab * sizeof(struct tessera_ranked)),
        .scratch = malloc(vocab * sizeof(struct tessera_ranked)),
    };
    const struct tessera_past past = {
        .prompt = asked->history,
        .prompt_length = (size_t)asked->prompt_length,
        .generated =
            asked->history ? asked->history + asked->prompt_length : NULL,
        .generated_length =
            (size_t)(asked->history_length - asked->prompt_length),
    };
    void *logits = vector_logits(asked);

    tessera_logits(&row, logits, asked->dtype);
    tessera_mask(&row, NULL, asked->bans, (size_t)asked->ban_count);
    tessera_bias(&row, asked->biases, (size_t)asked->bias_count);
    tessera_penalties(&row, &past, params);
    tessera_order(&row);
    cr_expect(eq(int, row.nan, answer->nan), "%s:%zu: nan", file, asked->line);
    cr_expect(eq(int, row.in == 0, answer->kind == VECTOR_EMPTY), "%s:%zu: in",
              file, asked->line);
    cr_expect(eq(int, tessera_is_greedy(params->temperature) && row.in > 0,
                 answer->kind == VECTOR_GREEDY),
              "%s:%zu: greedy", file, asked->line);
    if (answer->kind == VECTOR_GREEDY)
        cr_expect(eq(i32, row.ranked[0].token, answer->tokens[0]),
                  "%s:%zu: token", file, asked->line);
    if (answer->kind == VECTOR_DRAW) {
        cr_expect(eq(u32, bits_of(row.ranked[0].x), answer->max), "%s:%zu: max",
                  file, asked->line);
        cr_expect(eq(sz, row.in, (size_t)answer->in), "%s:%zu: n", file,
                  asked->line);
        tessera_weigh(&row, tessera_temperature(params->temperature));
        tessera_top_k(&row, params->top_k);
        cr_expect(eq(sz, row.kept, (size_t)answer->after_top_k), "%s:%zu: nk",
                  file, asked->line);
        tessera_top_p(&row, params->top_p);
        cr_expect(eq(sz, row.kept, (size_t)answer->after_top_p), "%s:%zu: np",
                  file, asked->line);
        tessera_min_p(&row, params->min_p);
        cr_expect(eq(sz, row.kept, (size_t)answer->n_kept), "%s:%zu: kept",
                  file, asked->line);
        uint64_t sum = tessera_softmax(&row);
        cr_expect(eq(u64, sum, answer->weight_sum), "%s:%zu: S", file,
                  asked->line);
        tessera_lay_out(&row);
        for (int32_t i = 0; i < asked->steps; i++) {
            uint64_t random = tessera_random(params->seed, params->stream,
                                             params->step + (uint64_t)i);
            cr_expect(eq(i32,
                         tessera_draw(&row, tessera_draw_target(random, sum)),
                         answer->tokens[i]),
                      "%s:%zu: token %d", file, asked->line, i);
        }
    }
    free(row.x);
    free(row.weight_up_to);
    free(row.ranked);
    free(row.scratch);
    free(logits);
}

static void compare_file(const char *file, size_t cases)
{
    char error[VECTOR_ERROR_BYTES];
    char *path = path_of(file);
    struct vector_case asked;
    size_t size, read = 0;
    enum vector_result result;

    char *bytes = vectors_load(path, &size, error);
    cr_assert(bytes != NULL, "%s: %s", path, error);
    struct vector_reader reader = VECTOR_READER_INIT(bytes, size);
    while ((result = vector_next(&reader, &asked, error)) == VECTOR_READ) {
        compare_stages(file, &asked);
        vector_free(&asked);
        read++;
    }
    cr_assert(eq(int, result, VECTOR_END), "%s: %s", file, error);
    cr_assert(eq(sz, read, cases), "%s", file);
    free(bytes);
    free(path);
}

Test(vectors_answers, stages_give_the_small_answers)
{
    compare_file("small.txt", 600);
}

Test(vectors_answers, stages_give_the_large_answers)
{
    compare_file("large.txt", 120);
}

Test(vectors_answers, stages_give_the_edge_answers)
{
    compare_file("edge.txt", 90);
}

/* Checks a file on all backends here; its closing line is in 'last'. */
static int check_file(const char *path, char last[64])
{
    struct backend_choice choices[BACKENDS_MOST];
    size_t count = 0;
    char *printed = NULL;
    size_t printed_size = 0;

    for (EACH_BACKEND(backend))
        choices[count++] = (struct backend_choice){.device = backend->device};

    /* The check prints to stdout. */
    FILE *real = stdout;
    stdout = open_memstream(&printed, &printed_size);
    int status = check_vectors(path, choices, count, false);
    fclose(stdout);
    stdout = real;

    last[0] = '\0';
    for (char *line = strtok(printed, "\n"); line; line = strtok(NULL, "\n"))
        snprintf(last, 64, "%s", line);
    free(printed);
    return status;
}

static int check_text(const char *text, char last[64])
{
    char path[] = "/tmp/tessera-vectors-XXXXXX";
    int descriptor = mkstemp(path);

    cr_assert(descriptor >= 0);
    cr_assert(
        eq(sz, (size_t)write(descriptor, text, strlen(text)), strlen(text)));
    close(descriptor);
    int status = check_file(path, last);
    unlink(path);
    return status;
}

static void check_whole_file(const char *file, const char *closing)
{
    char *path = path_of(file);
    char last[64];

    cr_assert(eq(int, check_file(path, last), CLI_OK));
    cr_assert(eq(str, last, (char *)closing));
    free(path);
}

Test(vectors_answers, backends_give_the_small_answers)
{
    check_whole_file("small.txt", "600 passed, 0 failed");
}

Test(vectors_answers, backends_give_the_large_answers)
{
    check_whole_file("large.txt", "120 passed, 0 failed");
}

Test(vectors_answers, backends_give_the_edge_answers)
{
    check_whole_file("edge.txt", "90 passed, 0 failed");
}

Test(vectors_answers, an_altered_answer_fails)
{
    static const struct {
        const char *from;
        const char *to;
    } altered[] = {
        {"nan=0", "nan=1"},
        {"kept=1", "kept=2"},
        {"S=1099511627776", "S=1099511627777"},
        {"tokens=0,0", "tokens=0,1"},
        {"tokens=0,0", "tokens=1,0"},
        {"lp=00000000", "lp=80000000"},
        {"raw=", "raw=3"}, /* and the last digit goes */
    };
    char last[64];

    cr_assert(eq(int, check_text(QUESTION ANSWER, last), CLI_OK));
    cr_assert(eq(str, last, "1 passed, 0 failed"));
    for (size_t i = 0; i < COUNT_OF(altered); i++) {
        char *text = changed(QUESTION ANSWER, altered[i].from, altered[i].to);
        if (strcmp(altered[i].from, "raw=") == 0)
            strcpy(text + strlen(text) - 2, "\n");
        cr_expect(eq(int, check_text(text, last), CLI_FAILED), "%s",
                  altered[i].to);
        cr_expect(eq(str, last, "0 passed, 1 failed"), "%s", altered[i].to);
        free(text);
    }
}

Test(vectors_answers, other_kinds_of_answer_are_compared)
{
    char *greedy = changed(QUESTION, "T=3f800000", "T=00000000");
    char *empty = changed(QUESTION, "banned=1,1", "banned=1,0,2");
    const struct {
        const char *question;
        const char *answer;
        int status;
    } kinds[] = {
        {greedy, "greedy nan=0 token=0 lp=00000000 raw=" RAW "\n", CLI_OK},
        {greedy, "greedy nan=0 token=1 lp=00000000 raw=" RAW "\n", CLI_FAILED},
        {greedy, "empty nan=0\n", CLI_FAILED},
        {empty, "empty nan=0\n", CLI_OK},
        {empty, "empty nan=1\n", CLI_FAILED},
        {empty, "greedy nan=0 token=0 lp=00000000 raw=" RAW "\n", CLI_FAILED},
    };
    char last[64];

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        char *text;
        cr_assert(asprintf(&text, "%s%s", kinds[i].question, kinds[i].answer) >=
                  0);
        cr_expect(eq(int, check_text(text, last), kinds[i].status), "%s",
                  kinds[i].answer);
        free(text);
    }
    free(greedy);
    free(empty);
}

Test(vectors_answers, a_file_without_a_case_fails)
{
    char last[64];

    cr_redirect_stderr();
    cr_assert(eq(int, check_text("", last), CLI_FAILED));
    cr_assert(eq(str, last, "0 passed, 0 failed"));
}

Test(vectors_answers,
     a_malformed_file_is_the_callers_fault_and_nothing_is_asked)
{
    char last[64];

    cr_redirect_stderr();
    cr_assert(eq(int, check_text(QUESTION ANSWER "case\n", last), CLI_USAGE));
    cr_assert(eq(str, last, ""));
    cr_assert(eq(int, check_file("/nonexistent/vectors", last), CLI_USAGE));
    cr_assert(eq(int, check_file("/", last), CLI_USAGE));
}

Test(vectors_answers, a_backend_that_is_not_here_fails)
{
    static const struct backend_choice all[] = {
        {.device = TESSERA_DEVICE_REFERENCE},
        {.device = TESSERA_DEVICE_CPU},
        {.device = TESSERA_DEVICE_CUDA},
    };
    char *path = path_of("small.txt");

    cr_redirect_stderr();
    cr_assert(eq(int, check_vectors(path, all, 0, false), CLI_FAILED));
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (tessera_device_count(all[i].device) == 0)
            cr_assert(
                eq(int, check_vectors(path, &all[i], 1, false), CLI_FAILED));
    free(path);
}
