/*
 * llama_chain.c - how long llama.cpp's samplers take for a row of logits
 *
 *   llama_chain LOGITS.npy CASE MILLISECONDS
 *
 * Does to each row what llama_sampler_sample() does: an array of candidates,
 * the chain, the token chosen.  The order of the chain is llama.cpp's default,
 * filters first and temperature last, which is the fastest for it.  Prints
 * microseconds a row: median, least and most.
 */

#include <llama.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_SAMPLES 2000
#define LEAST_SAMPLES 5
#define HISTORY 64

struct rows {
    float *logits;
    int count;
    int vocab;
};

static void fail(const char *what)
{
    fprintf(stderr, "llama_chain: %s\n", what);
    exit(1);
}

/* A float32 array of shape [rows, vocab], as tessera bench --save writes it. */
static struct rows read_npy(const char *path)
{
    struct rows rows = {NULL, 0, 0};
    unsigned char prefix[10];
    char header[65536];
    FILE *file = fopen(path, "rb");

    if (!file || fread(prefix, 1, sizeof(prefix), file) != sizeof(prefix))
        fail("the file cannot be read");
    size_t size = prefix[8] + 256u * prefix[9];
    if (fread(header, 1, size, file) != size)
        fail("the file is cut short");
    header[size - 1] = '\0';
    const char *shape = strstr(header, "'shape': (");
    if (!strstr(header, "'<f4'") || !shape ||
        sscanf(shape, "'shape': (%d, %d)", &rows.count, &rows.vocab) != 2)
        fail("the file is not float32 of shape [rows, vocab]");
    size_t logits = (size_t)rows.count * (size_t)rows.vocab;
    rows.logits = aligned_alloc(64, (logits * sizeof(float) + 63) / 64 * 64);
    if (!rows.logits ||
        fread(rows.logits, sizeof(float), logits, file) != logits)
        fail("the file is cut short");
    fclose(file);
    return rows;
}

static void add(struct llama_sampler *chain, struct llama_sampler *sampler)
{
    llama_sampler_chain_add(chain, sampler);
}

/* The chain of a case, by tessera bench's names. */
static struct llama_sampler *make_chain(const char *name, int vocab)
{
    const struct llama_sampler_chain_params params = {.no_perf = true};
    struct llama_sampler *chain = llama_sampler_chain_init(params);

    if (strcmp(name, "greedy") == 0) {
        add(chain, llama_sampler_init_greedy());
        return chain;
    }
    if (strstr(name, "penalties64"))
        add(chain,
            llama_sampler_init_penalties(vocab, HISTORY, 1.1f, 0.1f, 0.1f));
    if (strstr(name, "top_k40") || strcmp(name, "real") == 0)
        add(chain, llama_sampler_init_top_k(40));
    if (strstr(name, "top_p95") || strcmp(name, "real") == 0)
        add(chain, llama_sampler_init_top_p(0.95f, 1));
    if (strstr(name, "min_p05") || strcmp(name, "real") == 0)
        add(chain, llama_sampler_init_min_p(0.05f, 1));
    if (strcmp(name, "temperature") == 0 || strcmp(name, "real") == 0 ||
        strstr(name, "min_p05"))
        add(chain, llama_sampler_init_temp(0.8f));
    add(chain, llama_sampler_init_dist(1));
    for (int i = 0; i < HISTORY; i++)
        llama_sampler_accept(chain, (llama_token)(rand() % vocab));
    return chain;
}

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static double time_rows(struct llama_sampler *chain, struct rows rows,
                        llama_token_data *candidates)
{
    double start = now_us();

    for (int row = 0; row < rows.count; row++) {
        const float *logits = rows.logits + (size_t)row * (size_t)rows.vocab;

        for (int token = 0; token < rows.vocab; token++)
            candidates[token] = (llama_token_data){token, logits[token], 0.0f};
        llama_token_data_array array = {candidates, (size_t)rows.vocab, -1,
                                        false};
        llama_sampler_apply(chain, &array);
        if (array.selected < 0)
            fail("no token was chosen");
    }
    return (now_us() - start) / rows.count;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    double us[MOST_SAMPLES];
    int count = 0;

    if (argc != 4)
        fail("usage: llama_chain LOGITS.npy CASE MILLISECONDS");
    struct rows rows = read_npy(argv[1]);
    struct llama_sampler *chain = make_chain(argv[2], rows.vocab);
    llama_token_data *candidates =
        malloc((size_t)rows.vocab * sizeof(*candidates));

    time_rows(chain, rows, candidates);
    double end = now_us() + atof(argv[3]) * 1e3;
    while (count < MOST_SAMPLES && (now_us() < end || count < LEAST_SAMPLES))
        us[count++] = time_rows(chain, rows, candidates);
    qsort(us, (size_t)count, sizeof(*us), ascending);
    printf("%.3f %.3f %.3f\n", us[count / 2], us[0], us[count - 1]);
    llama_sampler_free(chain);
    free(candidates);
    free(rows.logits);
    return 0;
}
