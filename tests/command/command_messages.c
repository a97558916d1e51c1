/*
 * command_messages.c - every line that the tessera command says of a fault
 * names what is wrong, its value and what it must be
 *
 * What each fault is, and that it is one line, is in command_faults.c.
 */

#include "command_run.h"
#include "message_form.h"
#include "row_builder.h"

#include <tessera.h>

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Arguments, and a shell pattern for the message after "tessera show: ". */
struct message {
    const char *arguments;
    const char *pattern;
};

static void start(void)
{
    static const float rows[] = {1, 2, 3, 4, 4, 3, 2, 1};
    static const uint32_t masks[] = {15, 15, 15};

    command_start();
    make_npy("two.npy", "<f4", "(2, 4)", rows, sizeof(rows));
    make_npy("half.npy", "<f2", "(4,)", rows, 8);
    make_npy("words.npy", "<u2", "(4,)", rows, 8);
    make_npy("ids.npy", "<u4", "(4,)", rows, 16);
    make_npy("big.npy", ">f4", "(2, 4)", rows, sizeof(rows));
    make_npy("short.npy", "<f4", "(3, 4)", rows, sizeof(rows));
    make_npy("deep.npy", "<f4", "(1, 2, 4)", rows, sizeof(rows));
    make_npy("bare.npy", "<f4", "(4)", rows, 16);
    make_npy("mask0.npy", "<u4", "(2, 1)", masks, 8);
    make_npy("mask3.npy", "<u4", "(3, 1)", masks, 12);
    make_text("wide.txt", "40 41");
    make_text("letters.txt", "1 x");
    make_text("zeros.txt", "1 0000000000000000000000000000000000000007");
    make_text("none.jsonl", "");
    make_text("two.jsonl", "{}\n{\"top_p\": 1.5}\n");
    make_text("keys.jsonl", "{\"top-p\": 1}\n{}\n");
    make_text("list.jsonl", "[]\n{}\n");
    make_text("broken.jsonl", "{\"top_k\": \n{}\n");
    make_text("bias.jsonl", "{\"bias\": {\"9\": 1}}\n{}\n");
    make_text("texts.jsonl", "\"a\"\n1\n");
    make_text("empty.txt", "");
    make_text("vectors.txt", "nothing of the kind\n");
    setenv("TESSERA_CUDA_LIBRARY", STAND_IN, 1);
}

TestSuite(command_messages, .init = start, .fini = command_end);

static void expect_messages(const struct message *messages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct outcome outcome = command("%s", messages[i].arguments);
        char *text = strstr(outcome.err, ": ");
        char *end = strchr(outcome.err, '\n');

        cr_assert(outcome.status == 2, "%s: status %d", messages[i].arguments,
                  outcome.status);
        cr_assert(text && end && end[1] == '\0', "%s: not one line: %s",
                  messages[i].arguments, outcome.err);
        *end = '\0';
        expect_message(__FILE__, __LINE__, text + 2, messages[i].pattern);
        free(outcome.out);
        free(outcome.err);
    }
}

static void provoke_arguments(void)
{
    static const struct message messages[] = {
        {"", "a subcommand is missing: sample, show, check or bench*"},
        {"smaple", "there is no subcommand 'smaple'; did you mean sample\\?"},
        {"frobnicate", "there is no subcommand 'frobnicate'; --help lists*"},
        {"--verison",
         "there is no option --verison; did you mean --version\\?"},
        {"--foo", "there is no option --foo; --help lists them"},
        {"--version x", "'x' is one argument too many, after --version"},
        {"sample", "*LOGITS.npy*; see --help"},
        {"sample two.npy --topp 1", "*no option --topp; did you mean --top-p*"},
        {"sample two.npy --foo", "there is no option --foo; --help lists them"},
        {"sample two.npy --top 1", "--top may mean *--top-k*"},
        {"sample two.npy --top-p", "--top-p needs a value: --top-p=*"},
        {"sample two.npy --json=7", "--json takes no value; it was given '7'"},
        {"sample two.npy x", "'x' is one argument too many, after 'two.npy'"},
        {"show two.npy", "--row is missing*; see --help"},
        {"bench x", "'x' is one argument too many"},
    };

    expect_messages(messages, COUNT_OF(messages));
}

static void provoke_values(void)
{
    static const struct message messages[] = {
        {"sample two.npy --top-p 1.5", "--top-p is 1.5; its range is \\[0, 1]"},
        {"sample two.npy --top-p x",
         "--top-p is 'x', which is not a number; its range is \\[0, 1]"},
        {"sample two.npy --top-k -2",
         "--top-k is -2; its range is -1 .. 2147483647"},
        {"sample two.npy --top-k 1.5", "--top-k is '1.5', which is not a *"},
        {"sample two.npy --step 4611686018427387904",
         "--step is 4611686018427387904; its range is 0 .. 2^62 - 1"},
        {"sample two.npy --draws 2 --step 4611686018427387903",
         "--draws is 2; its range is 1 .. 1 from step 4611686018427387903 *"},
        {"sample two.npy --prompt-tokens 1",
         "--prompt-tokens is 1; its range is 0 .. 0, the history's length"},
        {"show two.npy --row 2", "--row is 2; its range is 0 .. 1"},
        {"sample two.npy --backend gpu",
         "--backend is 'gpu'; it may be auto, reference, cpu or cuda*"},
        {"sample two.npy --backend cuda:9", "--backend is cuda*; *"},
        {"sample two.npy --backend reference:1", "--backend is *; *"},
        {"sample two.npy --plan x",
         "--plan is 'x'; it may be auto, staged or fused"},
        {"sample two.npy --plan fused", "--plan is fused; *"},
        {"sample two.npy --threads 0",
         "--threads is 0; its range is 1 .. 1024"},
        {"show two.npy --row 0 --backend reference --plan staged",
         "--plan is staged; the backend cuda has plans, reference has none"},
        {"sample two.npy --bias 5", "--bias is '5'; it takes ID:VALUE, *"},
        {"sample two.npy --bias 1:inf",
         "--bias is '1:inf'; the range of its value is finite *, or -inf"},
        {"sample two.npy --bias 4:1",
         "--bias names token 4; its range is 0 .. 3"},
        {"sample two.npy --bias 1:1 --bias 1:2", "--bias names token 1 twice*"},
        {"sample two.npy --ban x",
         "--ban is 'x'; it takes a whole number, 0 .. *"},
        {"sample two.npy --ban 4", "--ban names token 4; its range is 0 .. 3"},
        {"bench --batch 0", "--batch is 0; its range is 1 .. *"},
        {"bench --batch x", "--batch is 'x', which is not a whole number; *"},
        {"bench --dtype f64", "--dtype is 'f64'; it may be f32, f16 or bf16"},
        {"bench --case real", "--case is 'real', which needs --logits"},
        {"bench --backend x", "--backend is 'x'; it may be *"},
        {"bench --save x.npy",
         "--save is 'x.npy', a file for one case, batch, vocabulary and type; "
         "there are 48"},
        {"bench --seed -1", "--seed is -1; its range is 0 .. 2^64 - 1"},
    };

    expect_messages(messages, COUNT_OF(messages));
}

static void provoke_files(void)
{
    static const struct message messages[] = {
        {"sample none.npy", "none.npy: No such file or directory"},
        {"sample letters.txt", "letters.txt: not a .npy file: *"},
        {"sample big.npy", "big.npy: type '>f4' is big-endian; *"},
        {"sample short.npy",
         "short.npy: 32 bytes of data where its shape \\[3, 4] of float32 "
         "takes 48: the file is cut short"},
        {"sample deep.npy", "deep.npy: 3 dimensions; 1 or 2 are read: *"},
        {"sample bare.npy", "bare.npy: its header has a 'shape' that is not *"},
        {"sample ids.npy", "ids.npy: type uint32; logits are float32 or *"},
        {"sample words.npy", "words.npy: type uint16; *with --bf16"},
        {"sample half.npy --bf16", "half.npy: type float16; with --bf16 *"},
        {"bench --quick --case real --logits ids.npy",
         "ids.npy: type uint32; logits are float32 or float16"},
        {"sample two.npy --allow-mask two.npy",
         "two.npy: type float32; masks are uint32"},
        {"sample two.npy --allow-mask mask3.npy",
         "mask3.npy: its number of masks is 3; the logits have 2 rows, *"},
        {"sample two.npy --history letters.txt",
         "letters.txt: entry 1 is 'x'; a token id is a whole number, *"},
        {"sample two.npy --history zeros.txt",
         "zeros.txt: entry 1 is '000*0'; a token id is a whole number, *"},
        {"sample two.npy --params none.jsonl",
         "none.jsonl: its number of lines is 0; the logits have 2 rows, *"},
        {"sample two.npy --params two.jsonl",
         "two.jsonl:2: \"top_p\" is 1.5; its range is \\[0, 1]"},
        {"sample two.npy --params keys.jsonl",
         "keys.jsonl:1: there is no key \"top-p\"; did you mean \"top_p\"\\?"},
        {"sample two.npy --params list.jsonl", "list.jsonl:1: not a JSON obj*"},
        {"sample two.npy --params broken.jsonl", "broken.jsonl:1: *"},
        {"sample two.npy --params bias.jsonl",
         "bias.jsonl:1: \"bias\" names token \"9\"; its range is 0 .. 3"},
        {"sample two.npy --vocab texts.jsonl",
         "texts.jsonl:2: not a JSON string, the text of token 1"},
        {"check --vectors none.txt", "none.txt: No such file or directory"},
        {"check --vectors vectors.txt", "vectors.txt: line 1: *"},
    };

    expect_messages(messages, COUNT_OF(messages));
}

/* Left out: what needs memory that cannot be had, a device that is not there, a
 * file of millions of lines, a full disk (command_faults.c has that), a CUDA
 * driver (bench_cuda.c has that) or a fault of the command's own; and the list
 * of all cases of bench, which is longer than a message should be. */
Test(command_messages, each_names_what_is_wrong_its_value_and_what_it_must_be,
     .timeout = 120)
{
    static const char *const unseen[] = {
        "out of memory",
        "standard output: *",
        "--case is '*'; it may be *",
        "no backend is here",
        "the backend * is not here",
        "--backend is *:*; its range is *:0 .. *:*",
        "--backend is cuda; *",
        "* ran no kernel",
        "--backend is cuda; bench times it by events of the CUDA driver: *",
        "--backend is cuda; its kernels do not run on the device of the CUDA "
        "driver, whose events time them",
        "the CUDA driver's * failed: * (*)",
        "the case *: row * is invalid",
        "*: it cannot be written",
        "* has more than * entries",
        "* has more than * lines, one a token",
        "*: its number of words a mask is *; * tokens take at least *",
        "*: holds no case",
        "the arguments cannot be read; see --help",
        "internal error: the stages give token *, n_kept *, S *, logprob * and "
        "tessera_sample() *, *, *, *",
        NULL,
    };

    provoke_arguments();
    provoke_values();
    provoke_files();
    expect_all_seen("host/cli", "report", unseen);
}
