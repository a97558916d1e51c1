/*
 * traffic.cpp - launches, workspace, and what each kernel asks of memory
 *
 *   traffic        prints the table of bench/results/traffic.md
 *   traffic FILE   compares it with the file's
 *
 * Sectors of 32 bytes, each once an access of a warp, before any cache, as
 * multiples of one read of the batch's logits.  Rows are long and in random
 * order.  What has to hold whatever the table says is checked as well: how
 * often logits are read, and that nothing writes them.
 */

#include "rows.h"
#include "vgpu.h"

#include <cxxabi.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

namespace
{

constexpr int row_count = 2, vocab = 32000;

std::string table;

void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

void print(const char *format, ...)
{
    char line[512];
    va_list arguments;

    va_start(arguments, format);
    std::vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    table += line;
}

/* The function's name with its own template arguments, without CUB's. */
std::string short_name(const char *mangled)
{
    int status;
    char *text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    std::string name = text ? text : mangled;

    std::free(text);
    if (name.find("DeviceSegmentedRadixSort") != std::string::npos)
        return std::regex_search(name, std::regex("Policy[0-9]+, true"))
                   ? "cub::DeviceSegmentedRadixSortKernel, alternate digits"
                   : "cub::DeviceSegmentedRadixSortKernel, first digits";
    name = std::regex_replace(name, std::regex("\\(tessera::view\\)0"),
                              "processed");
    name = std::regex_replace(name, std::regex("\\(tessera::view\\)1"), "raw");
    name = name.substr(0, name.find('('));
    return std::regex_replace(name, std::regex("^void |tessera::"), "");
}

struct Plan {
    const char *name;
    tessera_plan bit;
    size_t shared_bytes; /* that a block may ask for */
};

const Plan plans[] = {
    {"fused, where a row fits a cluster's shared memory", TESSERA_PLAN_FUSED,
     227 << 10},
    {"fused, where it does not", TESSERA_PLAN_FUSED, 64 << 10},
    {"staged", TESSERA_PLAN_STAGED, 227 << 10}};

struct Case {
    const char *name;
    double most_reads[3]; /* of the logits, by each plan; whole ones exactly */
    void (*set)(tessera_params &params);
    bool raw;            /* raw log-probability and rank are asked for */
    bool maxima = false; /* the call says what the largest logits are */
};

const Case cases[] = {
    {"greedy", {1, 1, 1}, [](tessera_params &p) { p.temperature = 0; }, false},
    {"temperature",
     {1.1, 2.1, 1},
     [](tessera_params &p) { p.temperature = 2; },
     false},
    {"temperature, row maxima",
     {1.1, 1.1, 1},
     [](tessera_params &p) { p.temperature = 2; },
     false,
     true},
    {"top-k 50", {1, 1, 1}, [](tessera_params &p) { p.top_k = 50; }, false},
    {"top-k 1024", {1, 1, 1}, [](tessera_params &p) { p.top_k = 1024; }, false},
    {"top-k 5000",
     {1.1, 3.2, 1},
     [](tessera_params &p) { p.top_k = 5000; },
     false},
    {"top-p 0.9",
     {1.1, 3.2, 1},
     [](tessera_params &p) { p.top_p = 0.9f; },
     false},
    {"top-p 0.95, temperature 0.1",
     {1, 2, 1},
     [](tessera_params &p) {
         p.top_p = 0.95f;
         p.temperature = 0.1f;
     },
     false},
    {"top-p 0.95, temperature 10",
     {1.1, 3.2, 1},
     [](tessera_params &p) {
         p.top_p = 0.95f;
         p.temperature = 10;
     },
     false},
    {"min-p 0.05, raw log-probability and rank",
     {3.1, 4.1, 2},
     [](tessera_params &p) { p.min_p = 0.05f; },
     true},
};

void count(const Plan &plan, const Case &asked)
{
    double most_reads = asked.most_reads[&plan - plans];
    Rows rows(row_count, vocab, 11);
    for (tessera_params &p : rows.params) {
        p = TESSERA_PARAMS_INIT;
        asked.set(p);
    }
    Answers expected = rows.answers(asked.raw);
    tessera_config config = config_of(rows);
    tessera_sampler *sampler;
    void *workspace;
    size_t workspace_bytes;
    OnDevice on(rows);

    config.plans = plan.bit;
    vgpu_limit_shared(plan.shared_bytes);
    check(tessera_create(&config, &sampler), "tessera_create");
    check(tessera_workspace_create(sampler, row_count, &workspace,
                                   &workspace_bytes),
          "tessera_workspace_create");
    if (!asked.raw)
        on.do_without_raw();
    if (asked.maxima)
        on.say_maxima(rows);
    vgpu_forget_traffic();
    check(tessera_sample(sampler, workspace, workspace_bytes, &on.batch,
                         &on.outputs, nullptr),
          "tessera_sample");
    check(cudaSetDevice(sampler_device), "cudaSetDevice");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaSetDevice(callers_device), "cudaSetDevice");
    if (!(on.answers() == expected))
        fail("%s, %s: another answer than the reference's", plan.name,
             asked.name);

    const double one = row_count * vocab * sizeof(float) / 32.0;
    vgpu_traffic logits = vgpu_traffic_of(nullptr, on.batch.logits);
    vgpu_traffic all = vgpu_traffic_of(nullptr, nullptr);
    bool exactly = most_reads == std::floor(most_reads);
    double reads = logits.loads / one;
    if (reads > most_reads || (exactly && reads != most_reads))
        fail("%s, %s: %g reads of the logits, not %s%g", plan.name, asked.name,
             reads, exactly ? "" : "at most ", most_reads);
    if (logits.stores + logits.atomics != 0)
        fail("%s, %s: something writes the logits", plan.name, asked.name);

    print("\n### %s\n\n%zu bytes of workspace, %llu launches; the logits are "
          "read %.2f times.\n\n| kernel | launches | read | written | atomics "
          "|\n|---|---|---|---|---|\n",
          asked.name, workspace_bytes,
          static_cast<unsigned long long>(all.launches), reads);
    auto row = [&](const std::string &name, const vgpu_traffic &t) {
        print("| %s | %llu | %.3f | %.3f | %.3f |\n", name.c_str(),
              static_cast<unsigned long long>(t.launches), t.loads / one,
              t.stores / one, t.atomics / one);
    };
    const char *kernel;
    for (size_t i = 0; (kernel = vgpu_traffic_kernel(i)) != nullptr; i++)
        row("`" + short_name(kernel) + "`", vgpu_traffic_of(kernel, nullptr));
    row("all", all);
    tessera_workspace_free(sampler, workspace);
    tessera_free(sampler);
}

} // namespace

int main(int argc, char **argv)
{
    check(cudaSetDevice(callers_device), "cudaSetDevice");
    print("# What the kernels ask of memory\n\n"
          "%d rows of %d binary32 logits in random order, params in host "
          "memory, PTX of sm_90\n(`tests/vgpu/calls` counts it on a CPU: no "
          "times).  Sectors of 32 bytes, each once an\naccess of a warp, "
          "before any cache, as multiples of one read of the logits.\n",
          row_count, vocab);
    for (const Plan &plan : plans) {
        print("\n## The plan %s\n", plan.name);
        for (const Case &each : cases)
            count(plan, each);
    }
    if (argc < 2) {
        std::fputs(table.c_str(), stdout);
        return 0;
    }
    std::ifstream file(argv[1]);
    std::stringstream published;
    published << file.rdbuf();
    if (published.str() != table) {
        std::fputs(table.c_str(), stdout);
        fail("traffic: the table above is not that of %s", argv[1]);
    }
    std::printf("traffic: %zu calls ask what %s says\n",
                sizeof(plans) / sizeof(plans[0]) * sizeof(cases) /
                    sizeof(cases[0]),
                argv[1]);
    return 0;
}
