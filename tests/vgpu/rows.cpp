/*
 * rows.cpp - rows of random logits on a device, and what the reference says of
 * them
 */

#include "rows.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

void fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fputc('\n', stderr);
    std::exit(1);
}

void check(cudaError_t error, const char *doing)
{
    if (error != cudaSuccess)
        fail("%s: %s", doing, cudaGetErrorString(error));
}

void check(tessera_status status, const char *doing)
{
    if (status != TESSERA_OK)
        fail("%s: %s", doing, tessera_last_error());
}

namespace
{

/* Makes the sampler's device current for a scope. */
struct Device {
    Device()
    {
        check(cudaSetDevice(sampler_device), "cudaSetDevice");
    }
    ~Device()
    {
        check(cudaSetDevice(callers_device), "cudaSetDevice");
    }
};

template <typename T>
bool same_bits(const std::vector<T> &a, const std::vector<T> &b)
{
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <typename T>
void read(std::vector<T> &to, const T *from)
{
    check(cudaMemcpy(to.data(), from, to.size() * sizeof(T),
                     cudaMemcpyDeviceToHost),
          "cudaMemcpy");
}

} // namespace

Answers::Answers(size_t rows)
    : token(rows), rank(rows), n_kept(rows), logprob(rows), raw_logprob(rows),
      weight_sum(rows), status(rows)
{
}

tessera_outputs Answers::outputs()
{
    tessera_outputs outputs = TESSERA_OUTPUTS_INIT;

    outputs.token = token.data();
    outputs.rank = rank.data();
    outputs.n_kept = n_kept.data();
    outputs.logprob = logprob.data();
    outputs.raw_logprob = raw_logprob.data();
    outputs.weight_sum = weight_sum.data();
    outputs.status = status.data();
    return outputs;
}

bool Answers::operator==(const Answers &other) const
{
    return token == other.token && rank == other.rank &&
           n_kept == other.n_kept && same_bits(logprob, other.logprob) &&
           same_bits(raw_logprob, other.raw_logprob) &&
           weight_sum == other.weight_sum && status == other.status;
}

/* A greedy row, and rows with top-k, top-p, min-p, and nothing. */
Rows::Rows(int32_t row_count, int32_t tokens, unsigned seed)
    : rows(row_count), vocab(tokens),
      logits(static_cast<size_t>(rows) * static_cast<size_t>(vocab)),
      params(static_cast<size_t>(rows), TESSERA_PARAMS_INIT)
{
    std::mt19937 random(seed);

    for (float &logit : logits)
        logit = static_cast<float>(random() % 8192) / 512.0f;
    for (size_t row = 0; row < params.size(); row++) {
        tessera_params &p = params[row];
        p.temperature = row % 5 == 1 ? 0.0f : 2.0f;
        p.top_k = row % 5 == 0 ? 20 : 0;
        p.top_p = row % 5 == 2 ? 0.9f : 1.0f;
        p.min_p = row % 5 == 3 ? 0.05f : 0.0f;
        p.seed = seed;
        p.stream = row;
    }
}

void Rows::set_step(uint64_t step)
{
    for (tessera_params &p : params)
        p.step = step;
}

tessera_batch Rows::batch()
{
    tessera_batch batch = TESSERA_BATCH_INIT;

    batch.rows = rows;
    batch.logits = logits.data();
    batch.logits_rows = rows;
    batch.logits_stride = vocab;
    batch.params = params.data();
    return batch;
}

Answers Rows::answers(bool raw)
{
    tessera_config config = TESSERA_CONFIG_INIT;
    tessera_sampler *sampler;
    void *workspace;
    size_t workspace_bytes;
    Answers answers(static_cast<size_t>(rows));
    tessera_batch asked = batch();
    tessera_outputs outputs = answers.outputs();

    if (!raw)
        outputs.rank = nullptr, outputs.raw_logprob = nullptr;
    config.vocab = vocab;
    check(tessera_create(&config, &sampler), "tessera_create");
    check(tessera_workspace_create(sampler, rows, &workspace, &workspace_bytes),
          "tessera_workspace_create");
    check(tessera_sample(sampler, workspace, workspace_bytes, &asked, &outputs,
                         nullptr),
          "tessera_sample");
    tessera_workspace_free(sampler, workspace);
    tessera_free(sampler);
    return answers;
}

tessera_config config_of(const Rows &rows)
{
    tessera_config config = TESSERA_CONFIG_INIT;

    config.device = TESSERA_DEVICE_CUDA;
    config.device_ordinal = sampler_device;
    config.vocab = rows.vocab;
    config.max_rows = rows.rows;
    /* As tests/support/batch_run.c reads it. */
    const char *plan = std::getenv("TESSERA_TEST_PLAN");
    std::string name = plan ? plan : "";
    if (name == "staged")
        config.plans = TESSERA_PLAN_STAGED;
    else if (name == "fused")
        config.plans = TESSERA_PLAN_FUSED;
    else if (name != "")
        fail("TESSERA_TEST_PLAN is '%s'; it takes staged or fused", plan);
    return config;
}

template <typename T>
T *OnDevice::take(size_t count)
{
    void *memory;

    check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
    allocations.push_back(memory);
    return static_cast<T *>(memory);
}

OnDevice::OnDevice(Rows &from) : rows(from.rows)
{
    Device device;
    size_t count = static_cast<size_t>(rows);
    float *logits = take<float>(from.logits.size());

    check(cudaMemcpy(logits, from.logits.data(),
                     from.logits.size() * sizeof(float),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
    batch = from.batch();
    batch.logits = logits;
    params = take<tessera_params>(count);
    outputs.token = take<int32_t>(count);
    outputs.rank = take<int32_t>(count);
    outputs.n_kept = take<int32_t>(count);
    outputs.logprob = take<float>(count);
    outputs.raw_logprob = take<float>(count);
    outputs.weight_sum = take<uint64_t>(count);
    outputs.status = take<uint8_t>(count);
    write_params(from);
}

OnDevice::~OnDevice()
{
    Device device;

    for (void *memory : allocations)
        cudaFree(memory);
}

void OnDevice::params_in_device_memory()
{
    batch.params = params;
    batch.params_memory = TESSERA_MEMORY_SAMPLER;
    batch.stages = TESSERA_STAGE_DRAW | TESSERA_STAGE_TOP_K |
                   TESSERA_STAGE_TOP_P | TESSERA_STAGE_MIN_P;
    batch.max_top_k = 20;
}

void OnDevice::do_without_raw()
{
    outputs.rank = nullptr;
    outputs.raw_logprob = nullptr;
}

void OnDevice::say_maxima(const Rows &from)
{
    Device device;
    std::vector<float> maxima;
    float *there = take<float>(static_cast<size_t>(rows));

    for (auto row = from.logits.begin(); row != from.logits.end();
         row += from.vocab)
        maxima.push_back(*std::max_element(row, row + from.vocab));
    check(cudaMemcpy(there, maxima.data(), maxima.size() * sizeof(float),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
    batch.row_maxima = there;
}

void OnDevice::write_params(const Rows &from)
{
    check(cudaMemcpy(params, from.params.data(),
                     from.params.size() * sizeof(tessera_params),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
}

uint64_t OnDevice::step(int32_t row) const
{
    tessera_params read;

    check(cudaMemcpy(&read, params + row, sizeof(read), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    return read.step;
}

void OnDevice::forget_answers()
{
    Device device;

    check(cudaMemset(outputs.token, 0xee,
                     static_cast<size_t>(rows) * sizeof(int32_t)),
          "cudaMemset");
}

Answers OnDevice::answers() const
{
    Answers answers(static_cast<size_t>(rows));

    read(answers.token, outputs.token);
    if (outputs.rank)
        read(answers.rank, outputs.rank);
    read(answers.n_kept, outputs.n_kept);
    read(answers.logprob, outputs.logprob);
    if (outputs.raw_logprob)
        read(answers.raw_logprob, outputs.raw_logprob);
    read(answers.weight_sum, outputs.weight_sum);
    read(answers.status, outputs.status);
    return answers;
}
