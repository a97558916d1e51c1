/*
 * command_faults.c - the tessera command: one line on what is wrong
 */

#include "command_run.h"
#include "row_builder.h"

#include <tessera.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static void start(void)
{
    static const float rows[] = {1, 2, 3, 4, 4, 3, 2, 1};
    static const uint32_t masks[] = {15, 15, 15};

    command_start();
    make_npy("two.npy", "<f4", "(2, 4)", rows, sizeof(rows));
    make_npy("double.npy", "<f8", "(4,)", rows, sizeof(rows));
    make_npy("words.npy", "<u2", "(4,)", rows, 8);
    make_npy("wide.npy", "<f4", "(1, 8)", rows, sizeof(rows));
    make_npy("masks3.npy", "<u4", "(3, 1)", masks, sizeof(masks));
    make_text("ids.txt", "1 2 3");
    make_text("letters.txt", "1 2 x");
    make_text("large.txt", "2147483648");
    make_text("one.jsonl", "{}\n");
    make_text("three.jsonl", "{}\n{}\n{}\n");
    make_text("bad.jsonl", "{}\n{\"top_p\": 1.5}\n");
    make_text("vocab.jsonl", "\"a\"\nb\n");
}

TestSuite(command_faults, .init = start, .fini = command_end);

/* The arguments, and what the line must say. */
struct fault {
    const char *arguments;
    const char *phrase;
};

static void expect(const struct fault *faults, size_t count, int status)
{
    for (size_t i = 0; i < count; i++) {
        struct outcome outcome = command("%s", faults[i].arguments);

        cr_assert(eq(int, outcome.status, status), "%s", faults[i].arguments);
        cr_assert(eq(sz, count_lines(outcome.err), 1), "%s\n%s",
                  faults[i].arguments, outcome.err);
        cr_assert(strncmp(outcome.err, "tessera", 7) == 0);
        cr_assert(strstr(outcome.err, faults[i].phrase) != NULL,
                  "%s\ngives %s, not %s", faults[i].arguments, outcome.err,
                  faults[i].phrase);
        cr_assert(outcome.out[0] == '\0');
        free(outcome.out);
        free(outcome.err);
    }
}

#define EXPECT(faults, status) expect(faults, COUNT_OF(faults), status)

Test(command_faults, name_the_subcommand_meant)
{
    static const struct fault faults[] = {
        {"", "a subcommand is missing"},
        {"smaple", "no subcommand 'smaple'; did you mean sample?"},
        {"chekc two.npy", "did you mean check?"},
        {"frobnicate", "no subcommand 'frobnicate'"},
        {"--verison", "did you mean --version?"},
        {"--foo", "no option --foo"},
        {"--version x", "'x' is one argument too many"},
    };

    EXPECT(faults, 2);
}

Test(command_faults, name_the_option_meant)
{
    static const struct fault faults[] = {
        {"sample two.npy --topp 1", "--topp; did you mean --top-p?"},
        {"sample two.npy -top-k 1", "-top-k; did you mean --top-k?"},
        {"sample two.npy --foo", "no option --foo"},
        {"sample two.npy -x", "no option -x"},
        {"sample two.npy --json -xy", "no option -xy"},
        {"sample two.npy --top 1", "--top may mean --top-"},
        {"sample two.npy --top-p", "--top-p needs a value"},
        {"sample --top-p", "--top-p needs a value"},
        {"sample two.npy --json=1", "--json takes no value"},
        {"sample two.npy more", "'more' is one argument too many"},
        {"sample two.npy --row 1", "no option --row"},
        {"sample", "LOGITS.npy"},
        {"show two.npy", "--row is missing"},
        {"check", "LOGITS.npy or --vectors"},
        {"check two.npy --vectors x", "exclude each other"},
    };

    EXPECT(faults, 2);
}

Test(command_faults, name_option_value_and_range)
{
    static const struct fault faults[] = {
        {"sample two.npy --top-p 1.5",
         "tessera sample: --top-p is 1.5; its range is [0, 1]\n"},
        {"show two.npy --row 0 --top-p=-1", "tessera show: --top-p is -1;"},
        {"check two.npy --top-p 2", "tessera check: --top-p is 2;"},
        {"sample two.npy --plan x", "--plan is 'x'; it may be auto, staged or"},
        {"show two.npy --row 0 --backend reference --plan staged",
         "--plan is staged; the backend cuda has plans, reference has none"},
        {"check two.npy --backend reference --plan fused",
         "--plan is fused; the backend cuda has plans, reference has none"},
        {"sample two.npy --top-p 1.00000001", "its range is [0, 1]"},
        {"sample two.npy --min-p nan", "--min-p is 'nan', which is not a num"},
        {"sample two.npy --temperature inf", "[0, 1e6]"},
        {"sample two.npy --temperature 1e400", "--temperature is 1e400;"},
        {"sample two.npy --temperature -1e-45", "[0, 1e6]"},
        {"sample two.npy --temperature ''", "--temperature is '',"},
        {"sample two.npy --temperature ' 1'", "--temperature is ' 1',"},
        {"sample two.npy --temperature 1x", "--temperature is '1x',"},
        {"sample two.npy --temperature 0,5", "--temperature is '0,5',"},
        {"sample two.npy --repetition-penalty 0", "(0, 1e6]"},
        {"sample two.npy --repetition-penalty 1e-50", "(0, 1e6]"},
        {"sample two.npy --frequency-penalty 1e7", "[-1e6, 1e6]"},
        {"sample two.npy --top-k -2", "--top-k is -2; its range is -1 .. 2147"},
        {"sample two.npy --top-k 2147483648", "--top-k is 2147483648;"},
        {"sample two.npy --top-k 1.5", "which is not a whole number"},
        {"sample two.npy --penalty-window 2147483648", "any int32"},
        {"sample two.npy --seed -1", "--seed is -1; its range is 0 .. 2^64"},
        {"sample two.npy --seed 18446744073709551616", "2^64 - 1"},
        {"sample two.npy --seed 0x10000000000000000", "2^64 - 1"},
        {"sample two.npy --seed 0x", "--seed is '0x',"},
        {"sample two.npy --step 4611686018427387904", "2^62 - 1"},
        {"sample two.npy --draws 0", "1 .. 2147483647"},
        {"sample two.npy --draws 2 --step 4611686018427387903",
         "--draws is 2; its range is 1 .. 1"},
        {"sample two.npy --top-logprobs 65", "0 .. 64"},
        {"show two.npy --row 2", "--row is 2; its range is 0 .. 1"},
        {"show two.npy --row -1", "--row is -1;"},
        {"sample two.npy --backend gpu",
         "--backend is 'gpu'; it may be auto, reference, cpu or cuda"},
        {"sample two.npy --backend cuda:", "--backend is 'cuda:';"},
    };

    EXPECT(faults, 2);
}

Test(command_faults, name_edits_that_do_not_fit)
{
    static const struct fault faults[] = {
        {"sample two.npy --bias 5", "--bias is '5'; it takes ID:VALUE"},
        {"sample two.npy --bias 4:1", "token 4; its range is 0 .. 3"},
        {"sample two.npy --bias -1:1", "--bias is '-1:1';"},
        {"sample two.npy --bias 1:x", "--bias is '1:x';"},
        {"sample two.npy --bias 1:inf", "finite in binary32, or -inf"},
        {"sample two.npy --bias 1:nan", "finite in binary32, or -inf"},
        {"sample two.npy --bias 1:1e39", "finite in binary32, or -inf"},
        {"sample two.npy --bias 2:1 --bias 1:1 --bias 2:1", "token 2 twice"},
        {"sample two.npy --ban 4", "token 4; its range is 0 .. 3"},
        {"sample two.npy --ban x", "--ban is 'x';"},
        {"sample two.npy --prompt-tokens 1", "0 .. 0"},
        {"sample two.npy --history ids.txt --prompt-tokens 4",
         "--prompt-tokens is 4; its range is 0 .. 3"},
        {"sample two.npy --history letters.txt", "entry 2 is 'x'"},
        {"sample two.npy --history large.txt", "entry 0 is '2147483648'"},
    };

    EXPECT(faults, 2);
}

Test(command_faults, name_files_that_do_not_fit)
{
    static const struct fault faults[] = {
        {"sample none.npy", "none.npy: No such file or directory"},
        {"sample .", ".: Is a directory"},
        {"sample double.npy", "double.npy: type '<f8'"},
        {"sample words.npy", "with --bf16"},
        {"sample two.npy --bf16", "type float32; with --bf16"},
        {"sample two.npy --allow-mask none.npy", "none.npy: No such file"},
        {"sample two.npy --allow-mask two.npy", "masks are uint32"},
        {"sample two.npy --allow-mask masks3.npy", "masks is 3;"},
        {"sample two.npy --history none.txt", "none.txt: No such file"},
        {"sample two.npy --params none.jsonl", "none.jsonl: No such file"},
        {"sample two.npy --params one.jsonl",
         "one.jsonl: its number of lines is 1; the logits have 2 rows"},
        {"sample two.npy --params three.jsonl", "lines is 3;"},
        {"sample two.npy --params bad.jsonl",
         "bad.jsonl:2: \"top_p\" is 1.5; its range is [0, 1]"},
        {"sample two.npy --vocab none.jsonl", "none.jsonl: No such file"},
        {"sample two.npy --vocab vocab.jsonl", "vocab.jsonl:2: not a JSON"},
        {"check --vectors none.txt", "none.txt: No such file"},
        {"sample \"$(printf 'a\\nb\\033[2J')\"", "a\\x0ab\\x1b[2J: No such"},
    };

    EXPECT(faults, 2);
}

/* A script that asks for a backend must not be answered by another. */
Test(command_faults, name_a_device_that_is_not_here)
{
    static const struct fault asked[] = {
        {"sample two.npy --backend cuda:99", "--backend is cuda"},
        {"show two.npy --row 0 --backend cuda:99", "--backend is cuda"},
    };
    static const struct fault checked[] = {
        {"check two.npy --backend cuda:99", "--backend is cuda"},
        {"check --vectors none.txt --backend cuda:99", "--backend is cuda"},
    };

    EXPECT(asked, 2);
    EXPECT(checked, 1);
}

/* What was not written was not said. */
Test(command_faults, find_a_full_disk)
{
    static const struct fault faults[] = {
        {"--version >/dev/full", "standard output: "},
        {"--help >/dev/full", "standard output: "},
        {"sample --help >/dev/full", "standard output: "},
        {"sample two.npy >/dev/full", "standard output: "},
        {"sample two.npy --json --draws 1000 >/dev/full", "standard output: "},
        {"show two.npy --row 0 >/dev/full", "standard output: "},
        {"check two.npy >/dev/full", "standard output: "},
        {"sample two.npy >&-", "standard output: "},
    };

    EXPECT(faults, 1);
}

/* The reader leaves after a line; the writer must not run on, nor be killed. */
Test(command_faults, find_a_broken_pipe, .timeout = 20)
{
    static const struct fault faults[] = {
        {"sample two.npy --draws 10000000 >pipe", "standard output: "},
    };

    in_folder("mkfifo pipe && { head -n 1 pipe >first 2>&1 & }");
    EXPECT(faults, 1);
}
