/*
 * main.c - the tessera command: which subcommand, and how the run ends
 */

#include "backends.h"
#include "cli.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct subcommand {
    const char *name;
    char *full_name; /* what becomes argv[0] */
    int (*run)(int argc, char **argv);
    const char *summary;
} subcommands[] = {
    {"sample", "tessera sample", cmd_sample,
     "draw a token for each row: token, logprob, n_kept, status"},
    {"show", "tessera show", cmd_show,
     "what each stage did to one row, as a table and bars"},
    {"check", "tessera check", cmd_check,
     "every backend here against the reference, bit for bit"},
    {"bench", "tessera bench", cmd_bench,
     "throughput, beside the floor of this machine"},
};

#define SUBCOMMAND_COUNT (sizeof(subcommands) / sizeof(subcommands[0]))

static void print_help(void)
{
    printf("Usage: tessera SUBCOMMAND [OPTION...] [FILE]\n"
           "Choose the next token of every sequence of a batch, the same "
           "everywhere.\n\n");
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        printf("  %-10s  %s\n", subcommands[i].name, subcommands[i].summary);
    printf("\n"
           "  --version   version, contract version, backends, devices\n"
           "  -h, --help  this; each subcommand has its own\n"
           "\n"
           "Exit status: 0; 1 if something differed or failed; 2 if an "
           "argument, a\nparameter or a file given is at fault, which one line "
           "names.\n");
}

static void print_version(void)
{
    printf("tessera %s\n", tessera_version());
    printf("contract %d\n", (int)tessera_contract_version());
    for (int i = 0; i < BACKEND_COUNT; i++) {
        enum tessera_device device = (enum tessera_device)i;
        int32_t count = tessera_device_count(device);

        printf("%-10s  ", backend_name(device));
        if (count == 0)
            printf("%s\n", backend_absence(device));
        else if (device == TESSERA_DEVICE_CUDA)
            printf("%d device%s\n", (int)count, count == 1 ? "" : "s");
        else
            printf("here\n");
    }
}

static int unknown(const char *name)
{
    static const char *const options[] = {"version", "help"};
    const char *names[SUBCOMMAND_COUNT];
    const char *meant;

    if (name[0] == '-') {
        meant = suggest(name + strspn(name, "-"), options, 2);
        if (meant)
            return report(CLI_USAGE,
                          "there is no option %s; did you mean --%s?", name,
                          meant);
        return report(CLI_USAGE, "there is no option %s; --help lists them",
                      name);
    }
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        names[i] = subcommands[i].name;
    meant = suggest(name, names, SUBCOMMAND_COUNT);
    if (meant)
        return report(CLI_USAGE,
                      "there is no subcommand '%s'; did you mean %s?", name,
                      meant);
    return report(CLI_USAGE, "there is no subcommand '%s'; --help lists them",
                  name);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return report(CLI_USAGE, "a subcommand is missing: sample, show, check "
                                 "or bench; see --help");
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++) {
        if (strcmp(argv[1], subcommands[i].name) != 0)
            continue;
        argv[1] = subcommands[i].full_name;
        report_as(argv[1]);
        return subcommands[i].run(argc - 1, argv + 1);
    }

    bool help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    if (!help && strcmp(argv[1], "--version") != 0)
        return unknown(argv[1]);
    if (argc > 2)
        return report(CLI_USAGE, "'%s' is one argument too many, after %s",
                      argv[2], argv[1]);
    if (help)
        print_help();
    else
        print_version();
    return CLI_OK;
}

int main(int argc, char **argv)
{
    /* The terminal's characters only: numbers keep their point. */
    setlocale(LC_CTYPE, "");

    /* A reader that went away is an error like a full disk. */
    signal(SIGPIPE, SIG_IGN);

    int status = dispatch(argc, argv);

    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout) != 0;
    /* A closed descriptor that nothing was written to is no failure. */
    if (!failed && fclose(stdout) != 0)
        failed = errno != EBADF;
    if (!failed)
        return status;

    const char *why = errno != 0 ? strerror(errno) : "write error";
    int unwritten = report(CLI_FAILED, "standard output: %s", why);
    return status == CLI_OK ? unwritten : status;
}
