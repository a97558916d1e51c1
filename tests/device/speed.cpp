/*
 * speed.cpp - a short benchmark of a device
 *
 * Medians of a call's time between two events, beside half the time of a copy
 * of the logits: about one read of them.  Prints a Markdown table.
 */

#include <cuda_runtime.h>
#include <tessera.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace
{

constexpr int vocab = 128256, warm_ups = 3, repeats = 21;

void check(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "speed: %s: %s\n", doing, cudaGetErrorString(error));
    std::exit(1);
}

void check(tessera_status status, const char *doing)
{
    if (status == TESSERA_OK)
        return;
    std::fprintf(stderr, "speed: %s: %s\n", doing, tessera_last_error());
    std::exit(1);
}

template <typename T>
T *on_device(size_t count)
{
    void *memory;

    check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
    check(cudaMemset(memory, 0, count * sizeof(T)), "cudaMemset");
    return static_cast<T *>(memory);
}

/* Of what is enqueued, in microseconds. */
template <typename Enqueue>
float median_us(cudaStream_t stream, Enqueue enqueue)
{
    std::vector<float> times;
    cudaEvent_t start, end;

    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    for (int i = 0; i < warm_ups + repeats; i++) {
        float ms;

        check(cudaEventRecord(start, stream), "cudaEventRecord");
        enqueue();
        check(cudaEventRecord(end, stream), "cudaEventRecord");
        check(cudaEventSynchronize(end), "cudaEventSynchronize");
        check(cudaEventElapsedTime(&ms, start, end), "cudaEventElapsedTime");
        if (i >= warm_ups)
            times.push_back(1000 * ms);
    }
    check(cudaEventDestroy(start), "cudaEventDestroy");
    check(cudaEventDestroy(end), "cudaEventDestroy");
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    return times[repeats / 2];
}

struct Workload {
    const char *name;
    float temperature;
    int32_t top_k;
    float top_p;
};

const Workload workloads[] = {
    {"greedy", 0, 0, 1},       {"temperature", 1, 0, 1}, {"top-k 50", 1, 50, 1},
    {"top-p 0.9", 1, 0, 0.9f}, {"both", 1, 50, 0.9f},
};

struct Plan {
    const char *name;
    uint32_t bit;
};

const Plan plans[] = {{"staged", TESSERA_PLAN_STAGED},
                      {"fused", TESSERA_PLAN_FUSED}};

void measure(int32_t rows, const float *logits, float *copy,
             cudaStream_t stream)
{
    size_t bytes = static_cast<size_t>(rows) * vocab * sizeof(float);
    float read =
        median_us(stream,
                  [&] {
                      check(cudaMemcpyAsync(copy, logits, bytes,
                                            cudaMemcpyDeviceToDevice, stream),
                            "cudaMemcpyAsync");
                  }) /
        2;

    for (const Plan &plan : plans) {
        tessera_config config = TESSERA_CONFIG_INIT;
        tessera_sampler *sampler;
        void *workspace;
        size_t workspace_bytes;

        config.device = TESSERA_DEVICE_CUDA;
        config.vocab = vocab;
        config.plans = plan.bit;
        tessera_status made = tessera_create(&config, &sampler);
        if (made == TESSERA_UNAVAILABLE)
            continue;
        check(made, "tessera_create");
        check(tessera_workspace_create(sampler, rows, &workspace,
                                       &workspace_bytes),
              "tessera_workspace_create");
        for (const Workload &load : workloads) {
            std::vector<tessera_params> params(static_cast<size_t>(rows),
                                               TESSERA_PARAMS_INIT);
            tessera_batch batch = TESSERA_BATCH_INIT;
            tessera_outputs outputs = TESSERA_OUTPUTS_INIT;

            for (tessera_params &p : params) {
                p.temperature = load.temperature;
                p.top_k = load.top_k;
                p.top_p = load.top_p;
            }
            batch.rows = rows;
            batch.logits_rows = rows;
            batch.logits = logits;
            batch.logits_stride = vocab;
            batch.params = params.data();
            outputs.token = on_device<int32_t>(params.size());
            float us = median_us(stream, [&] {
                check(tessera_sample(sampler, workspace, workspace_bytes,
                                     &batch, &outputs, stream),
                      "tessera_sample");
            });
            check(cudaFree(outputs.token), "cudaFree");
            std::printf("| %s | %s | %d | %.1f | %.1f | %.1f |\n", plan.name,
                        load.name, rows, us, read, us / read);
        }
        tessera_workspace_free(sampler, workspace);
        tessera_free(sampler);
    }
}

} // namespace

int main()
{
    constexpr int32_t batches[] = {1, 8, 64, 256};
    constexpr size_t count = static_cast<size_t>(256) * vocab;
    std::vector<float> row(vocab);
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 4);
    cudaDeviceProp properties;
    cudaStream_t stream;
    float *logits = on_device<float>(count), *copy = on_device<float>(count);

    for (size_t at = 0; at < count; at += vocab) {
        for (size_t i = 0; i < vocab; i++)
            row[i] = at == 0 ? normal(random) : row[i];
        std::rotate(row.begin(), row.begin() + 997, row.end());
        check(cudaMemcpy(logits + at, row.data(), vocab * sizeof(float),
                         cudaMemcpyHostToDevice),
              "cudaMemcpy");
    }
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
          "cudaStreamCreate");
    std::printf("%s, %d binary32 logits a row; us, medians of %d\n\n"
                "| plan | case | rows | call | a read | ratio |\n"
                "|---|---|---|---|---|---|\n",
                properties.name, vocab, repeats);
    for (int32_t rows : batches)
        measure(rows, logits, copy, stream);
    return 0;
}
