/*
 * command_memory.c - the command, out of memory at any moment
 *
 * The command is run with failing_malloc.c once for each allocation that it
 * makes: that one fails, or that one and all after it.  The run must either do
 * without it, and say what it says otherwise, or fail with one line.
 */

#include "command_run.h"
#include "npy_bytes.h"
#include "outside.h"
#include "vector_text.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Allocations are failed one by one up to this one, and then about one in 8:
 * those are a loop's. */
enum { ONE_BY_ONE = 300, STRIDE = 8 };

enum { MOST_ARGUMENTS = 32 };

static char folder[] = "/tmp/tessera-memory-XXXXXX";

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");

    cr_assert(file != NULL, "cannot write %s", name);
    cr_assert(fwrite(bytes, 1, size, file) == size);
    cr_assert(fclose(file) == 0);
}

static void write_npy(const char *name, const char *header, const void *data,
                      size_t data_size)
{
    unsigned char *bytes;
    size_t size = npy_bytes(1, header, data, data_size, &bytes);

    write_file(name, bytes, size);
    free(bytes);
}

#define WRITE_TEXT(name, text) write_file(name, text, strlen(text))

/* The plugin of the runs; NULL: what is there. */
static const char *plugin;

/* Each test is a process of its own, and this folder its working folder. */
static void start(void)
{
    static const float logits[2][6] = {{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}};
    static const uint32_t mask[] = {0x1f, 0x3e};

    cr_assert(mkdtemp(folder) != NULL);
    cr_assert(chdir(folder) == 0);
    write_npy("logits.npy",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 6), }",
              logits, sizeof(logits));
    write_npy("mask.npy",
              "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 1), }",
              mask, sizeof(mask));
    WRITE_TEXT("history", "1 2 -1 3");
    WRITE_TEXT("params.jsonl",
               "{\"top_p\": 0.9, \"bias\": {\"1\": 2}, \"seed\": \"0x10\"}\n"
               "{\"history\": [1, 2], \"ban\": [0], \"min_p\": 0.1}\n");
    WRITE_TEXT("bad.jsonl", "{}\n{\"history\": [1, 2, \"three\"]}\n");
    WRITE_TEXT("vocab.jsonl", "\"a\"\n\"\\u00e9\"\n\"c\"\n\"\\n\"\n\"e\"\n");
    WRITE_TEXT("vectors.txt", QUESTION ANSWER QUESTION ANSWER);
}

static void end(void)
{
    run_outside(NULL, "rm -r '%s'", folder);
}

TestSuite(command_memory, .init = start, .fini = end);

struct spawned {
    int status; /* as waitpid() gives it */
    char *out;
    char *err;
    bool reached; /* an allocation failed */
};

/* Runs the command with the words of 'arguments', the allocation 'failing'
 * failing. */
static struct spawned spawn(const char *arguments, unsigned failing,
                            bool and_after)
{
    const char *path = getenv("TESSERA_COMMAND");
    char *words = strdup(arguments);
    char *argv[MOST_ARGUMENTS] = {(char *)"tessera"};
    char number[48];
    char cuda[4096];
    char *environment[] = {(char *)"LC_ALL=C",
                           (char *)"LD_PRELOAD=" FAILING_MALLOC,
                           (char *)"FAILING_MALLOC_REACHED=reached",
                           number,
                           cuda,
                           and_after ? (char *)"FAILING_MALLOC_FROM=1" : NULL,
                           NULL};
    posix_spawn_file_actions_t actions;
    size_t count = 1;
    pid_t child;
    struct spawned spawned;

    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        cr_assert(count + 1 < MOST_ARGUMENTS);
        argv[count++] = word;
    }
    snprintf(cuda, sizeof(cuda), "TESSERA_CUDA_LIBRARY=%s",
             plugin ? plugin : "");
    snprintf(number, sizeof(number), "FAILING_MALLOC=%u", failing);
    unlink("reached");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "out",
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, "err",
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    cr_assert(posix_spawn(&child, path ? path : TESSERA_COMMAND, &actions, NULL,
                          argv, environment) == 0);
    cr_assert(waitpid(child, &spawned.status, 0) == child);
    posix_spawn_file_actions_destroy(&actions);
    free(words);
    spawned.out = read_text("out");
    spawned.err = read_text("err");
    spawned.reached = access("reached", F_OK) == 0;
    return spawned;
}

static void spawned_free(struct spawned *spawned)
{
    free(spawned->out);
    free(spawned->err);
}

/* exact: what is printed is the same in every run, and not only as long. */
static void check_run(const struct spawned *run, const struct spawned *whole,
                      const char *what, bool exact)
{
    cr_assert(WIFEXITED(run->status), "%s: killed by signal %d", what,
              WTERMSIG(run->status));
    if (WEXITSTATUS(run->status) == WEXITSTATUS(whole->status) &&
        strcmp(run->err, whole->err) == 0) {
        cr_assert(exact ? strcmp(run->out, whole->out) == 0
                        : count_lines(run->out) == count_lines(whole->out),
                  "%s: prints\n%s", what, run->out);
        return;
    }
    cr_assert(WEXITSTATUS(run->status) != 0, "%s: exits 0, saying\n%s", what,
              run->err);
    cr_assert(WEXITSTATUS(whole->status) != 0 || WEXITSTATUS(run->status) == 1,
              "%s: exits %d, which blames its arguments, saying\n%s", what,
              WEXITSTATUS(run->status), run->err);
    cr_assert(
        count_lines(run->err) == 1 && strncmp(run->err, "tessera", 7) == 0,
        "%s: exits %d, saying\n%s", what, WEXITSTATUS(run->status), run->err);
}

static void check_mode(const char *arguments, const struct spawned *whole,
                       bool exact, bool and_after)
{
    char what[256];
    unsigned failing = 1;
    bool reached;

    do {
        struct spawned run = spawn(arguments, failing, and_after);

        snprintf(what, sizeof(what), "%s: allocation %u%s", arguments, failing,
                 and_after ? " and all after it" : "");
        reached = run.reached;
        check_run(&run, whole, what, exact);
        spawned_free(&run);
        failing += failing < ONE_BY_ONE ? 1 : STRIDE;
    } while (reached);
    cr_assert(failing > 10, "%s: %u allocations only", arguments, failing);
}

static void survives(const char *arguments, int status, bool exact)
{
    if (*SANITIZE_FLAGS)
        cr_skip("a sanitizer has a malloc() of its own");

    struct spawned whole = spawn(arguments, 0, false);
    cr_assert(WIFEXITED(whole.status) && WEXITSTATUS(whole.status) == status,
              "%s: status %d\n%s", arguments, whole.status, whole.err);
    cr_assert(!whole.reached);
    check_mode(arguments, &whole, exact, false);
    check_mode(arguments, &whole, exact, true);
    spawned_free(&whole);
}

#define REQUEST                                                                \
    "--params params.jsonl --allow-mask mask.npy --history history "           \
    "--presence-penalty 0.5 --prompt-tokens 1 --bias 2:-1 --ban 5"

Test(command_memory, sample_survives_without)
{
    survives("sample logits.npy " REQUEST
             " --vocab vocab.jsonl --top-logprobs 3 --raw-logprobs --draws 2",
             0, true);
}

Test(command_memory, sample_survives_without_in_json)
{
    survives("sample logits.npy --json --top-logprobs 2 --vocab vocab.jsonl", 0,
             true);
}

Test(command_memory, sample_survives_without_while_it_refuses)
{
    survives("sample logits.npy --params bad.jsonl", 2, true);
}

Test(command_memory, show_survives_without)
{
    survives("show logits.npy --row 1 " REQUEST " --vocab vocab.jsonl", 0,
             true);
}

Test(command_memory, show_survives_without_in_json)
{
    survives("show logits.npy --row 0 --json --top-k 3", 0, true);
}

Test(command_memory, check_survives_without)
{
    survives("check logits.npy " REQUEST, 0, true);
}

Test(command_memory, check_of_vectors_survives_without)
{
    survives("check --vectors vectors.txt", 0, true);
}

Test(command_memory, check_of_kernels_survives_without)
{
    plugin = STAND_IN;
    survives("check logits.npy --backend cuda", 0, true);
}

Test(command_memory, check_of_vectors_and_kernels_survives_without)
{
    plugin = STAND_IN;
    survives("check --vectors vectors.txt --backend cuda --json", 0, true);
}

/* Times differ from run to run. */
Test(command_memory, bench_survives_without)
{
    survives("bench --backend reference --batch 2 --vocab-size 16 --repeat 1 "
             "--case greedy,top_p95,mask10",
             0, false);
}
