/*
 * embedding.cpp - an outside program that embeds the CUDA path
 *
 * As a serving engine would: its own stream and device memory, params in
 * device memory, the call captured into a graph and replayed, a step a replay.
 * Runs on a GPU, and under tests/vgpu/run.  Prints one line and exits 0, or
 * says what differs and exits 1.
 */

#include <cuda_runtime.h>
#include <tessera.h>

#include <cstdio>
#include <cstdlib>

namespace
{

constexpr int vocab = 5;
constexpr int replays = 8;

/* Seed 42 at temperature 2: the tokens of steps 0 to 7. */
constexpr int32_t expected[replays] = {4, 4, 4, 4, 3, 3, 2, 3};

void check(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "embedding: %s: %s\n", doing,
                 cudaGetErrorString(error));
    std::exit(1);
}

void check(tessera_status status, const char *doing)
{
    if (status == TESSERA_OK)
        return;
    std::fprintf(stderr, "embedding: %s: %s\n", doing, tessera_last_error());
    std::exit(1);
}

template <typename T>
T *on_device(const T *values, size_t count)
{
    void *memory;

    check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
    if (values)
        check(cudaMemcpy(memory, values, count * sizeof(T),
                         cudaMemcpyHostToDevice),
              "cudaMemcpy");
    return static_cast<T *>(memory);
}

/* What a captured call and its replays share. */
struct engine {
    tessera_sampler *sampler = nullptr;
    cudaStream_t stream = nullptr;
    void *workspace = nullptr;
    size_t workspace_bytes = 0;
    tessera_batch batch = TESSERA_BATCH_INIT;
    tessera_outputs outputs = TESSERA_OUTPUTS_INIT;
};

engine make_engine()
{
    static const float logits[vocab] = {0, 1, 2, 3, 4};
    tessera_config config = TESSERA_CONFIG_INIT;
    tessera_params params = TESSERA_PARAMS_INIT;
    engine engine;

    config.device = TESSERA_DEVICE_CUDA;
    config.vocab = vocab;
    check(tessera_create(&config, &engine.sampler), "tessera_create");
    check(cudaStreamCreateWithFlags(&engine.stream, cudaStreamNonBlocking),
          "cudaStreamCreate");
    engine.workspace_bytes = tessera_workspace_bytes(engine.sampler, 1);
    engine.workspace = on_device<char>(nullptr, engine.workspace_bytes);

    params.temperature = 2;
    params.seed = 42;
    engine.batch.rows = 1;
    engine.batch.logits = on_device(logits, vocab);
    engine.batch.logits_rows = 1;
    engine.batch.logits_stride = vocab;
    engine.batch.params = on_device(&params, 1);
    engine.batch.params_memory = TESSERA_MEMORY_SAMPLER;
    engine.batch.stages = TESSERA_STAGE_DRAW;
    engine.batch.advance_step = 1;
    engine.outputs.token = on_device<int32_t>(nullptr, 1);
    return engine;
}

cudaGraphExec_t capture(const engine &engine)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;

    check(cudaStreamBeginCapture(engine.stream, cudaStreamCaptureModeGlobal),
          "cudaStreamBeginCapture");
    check(tessera_sample(engine.sampler, engine.workspace,
                         engine.workspace_bytes, &engine.batch, &engine.outputs,
                         engine.stream),
          "tessera_sample");
    check(cudaStreamEndCapture(engine.stream, &graph), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    return executable;
}

void set_step(const engine &engine, uint64_t step)
{
    check(cudaMemcpy(&engine.batch.params->step, &step, sizeof(step),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
}

int32_t replay(const engine &engine, cudaGraphExec_t graph)
{
    int32_t token;

    check(cudaGraphLaunch(graph, engine.stream), "cudaGraphLaunch");
    check(cudaStreamSynchronize(engine.stream), "cudaStreamSynchronize");
    check(cudaMemcpy(&token, engine.outputs.token, sizeof(token),
                     cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    return token;
}

void expect(int32_t token, int step)
{
    if (token == expected[step])
        return;
    std::fprintf(stderr, "embedding: step %d gave token %d, not %d\n", step,
                 token, expected[step]);
    std::exit(1);
}

} // namespace

/* Seed and step were once baked into a graph, so that each replay drew the same
 * token (flashinfer#2132). */
int main()
{
    engine engine = make_engine();

    for (int graphs = 0; graphs < 2; graphs++) {
        cudaGraphExec_t graph = capture(engine);

        set_step(engine, 0);
        for (int step = 0; step < replays; step++)
            expect(replay(engine, graph), step);
        for (int twice = 0; twice < 2; twice++) {
            set_step(engine, 3);
            expect(replay(engine, graph), 3);
        }
        check(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
    }
    check(cudaStreamDestroy(engine.stream), "cudaStreamDestroy");
    tessera_free(engine.sampler);
    std::printf("embedding: two graphs, %d replays each, draw what eager calls "
                "draw\n",
                replays + 2);
    return 0;
}
