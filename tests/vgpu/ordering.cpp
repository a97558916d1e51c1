/*
 * ordering.cpp - when a call reads and writes what
 *
 * The stand-in runs a stream's work when something waits for it, and no sooner
 * (VGPU_STREAMS), so whatever is read or written at another time than tessera.h
 * says changes an answer: host params and the structs before the call returns,
 * everything else when the stream comes to the call.  Streams, workspaces,
 * devices, and graphs that are replayed.
 *
 * Prints how many properties hold, or says which does not.
 */

#include "rows.h"
#include "vgpu.h"

#include <cstdio>
#include <cstring>

namespace
{

constexpr int row_count = 5, vocab = 37, steps = 4;

int held;

void expect(bool so, const char *property)
{
    if (!so)
        fail("not so: %s", property);
    if (vgpu_current_device() != callers_device)
        fail("%s: another device is current", property);
    held++;
}

cudaStream_t new_stream(int device, unsigned flags)
{
    cudaStream_t stream;

    check(cudaSetDevice(device), "cudaSetDevice");
    check(cudaStreamCreateWithFlags(&stream, flags), "cudaStreamCreate");
    check(cudaSetDevice(callers_device), "cudaSetDevice");
    return stream;
}

/* An event of the sampler's device, recorded in a stream. */
cudaEvent_t recorded(cudaStream_t stream)
{
    cudaEvent_t event;

    check(cudaSetDevice(sampler_device), "cudaSetDevice");
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
          "cudaEventCreate");
    check(cudaEventRecord(event, stream), "cudaEventRecord");
    check(cudaSetDevice(callers_device), "cudaSetDevice");
    return event;
}

void wait(cudaStream_t stream)
{
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/* A stream and a workspace. */
struct Lane {
    const tessera_sampler *sampler;
    cudaStream_t stream;
    void *workspace = nullptr;
    size_t workspace_bytes = 0;

    explicit Lane(const tessera_sampler *of)
        : sampler(of), stream(new_stream(sampler_device, cudaStreamNonBlocking))
    {
        check(tessera_workspace_create(sampler, row_count, &workspace,
                                       &workspace_bytes),
              "tessera_workspace_create");
    }
    ~Lane()
    {
        tessera_workspace_free(sampler, workspace);
        cudaStreamDestroy(stream);
    }
    Lane(const Lane &) = delete;
    Lane &operator=(const Lane &) = delete;

    void sample(const OnDevice &on)
    {
        sample(on, stream);
    }

    /* The structs are read before the call returns: then they are wiped. */
    void sample(const OnDevice &on, cudaStream_t in)
    {
        tessera_batch batch = on.batch;
        tessera_outputs outputs = on.outputs;

        check(tessera_sample(sampler, workspace, workspace_bytes, &batch,
                             &outputs, in),
              "tessera_sample");
        std::memset(&batch, 0xee, sizeof(batch));
        std::memset(&outputs, 0xee, sizeof(outputs));
    }
};

/* Params in memory that copies of a stream read when they run. */
struct Pinned {
    tessera_params *params;

    explicit Pinned(const Rows &from)
    {
        void *memory;
        size_t bytes = from.params.size() * sizeof(tessera_params);

        check(cudaSetDevice(sampler_device), "cudaSetDevice");
        check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
        check(cudaSetDevice(callers_device), "cudaSetDevice");
        params = static_cast<tessera_params *>(memory);
        std::memcpy(params, from.params.data(), bytes);
    }
    ~Pinned()
    {
        cudaFreeHost(params);
    }
    Pinned(const Pinned &) = delete;
    Pinned &operator=(const Pinned &) = delete;

    void copy(const OnDevice &on, cudaStream_t stream) const
    {
        check(cudaMemcpyAsync(on.params, params,
                              row_count * sizeof(tessera_params),
                              cudaMemcpyHostToDevice, stream),
              "cudaMemcpyAsync");
    }
};

Answers at_step(Rows &rows, uint64_t step)
{
    rows.set_step(step);
    return rows.answers();
}

void two_streams(const tessera_sampler *sampler)
{
    Rows one(row_count, vocab, 1), other(row_count, vocab, 2);
    Answers of_one = one.answers(), of_other = other.answers();
    Lane a(sampler), b(sampler);
    OnDevice on_a(one), on_b(other), again_a(one);

    for (int backwards = 0; backwards < 2; backwards++) {
        for (OnDevice *on : {&on_a, &on_b, &again_a})
            on->forget_answers();
        a.sample(on_a);
        b.sample(on_b);
        a.sample(again_a);
        wait(backwards ? b.stream : a.stream);
        wait(backwards ? a.stream : b.stream);
        expect(on_a.answers() == of_one && on_b.answers() == of_other &&
                   again_a.answers() == of_one,
               "two streams with a workspace each do not meet");
    }

    /* Calls that share a workspace, ordered by an event. */
    on_a.forget_answers();
    on_b.forget_answers();
    a.sample(on_a);
    cudaEvent_t done = recorded(a.stream);
    check(cudaStreamWaitEvent(b.stream, done, 0), "cudaStreamWaitEvent");
    a.sample(on_b, b.stream);
    wait(b.stream);
    expect(on_a.answers() == of_one && on_b.answers() == of_other,
           "a workspace serves one stream after another");
    check(cudaEventDestroy(done), "cudaEventDestroy");
}

void host_params(const tessera_sampler *sampler)
{
    Rows rows(row_count, vocab, 3);
    Lane lane(sampler);
    OnDevice first(rows), second(rows);
    Answers at_0 = at_step(rows, 0), at_1 = at_step(rows, 1);

    rows.set_step(0);
    first.batch.advance_step = 1;
    lane.sample(first);
    expect(rows.params[0].step == 1 && rows.params[4].step == 1,
           "steps in host memory advance before the call returns");
    lane.sample(second);
    for (tessera_params &p : rows.params)
        p = TESSERA_PARAMS_INIT;
    wait(lane.stream);
    expect(first.answers() == at_0 && second.answers() == at_1,
           "params in host memory are read before the call returns");
}

void device_params(const tessera_sampler *sampler)
{
    Rows rows(row_count, vocab, 4);
    Lane lane(sampler), copier(sampler);
    OnDevice first(rows), second(rows);
    Answers at_9 = at_step(rows, 9), at_10 = at_step(rows, 10);

    rows.set_step(9);
    Pinned nine(rows);
    first.params_in_device_memory();
    first.batch.advance_step = 1;
    second.params_in_device_memory();
    second.batch.params = first.params;

    nine.copy(first, copier.stream);
    cudaEvent_t copied = recorded(copier.stream);
    check(cudaStreamWaitEvent(lane.stream, copied, 0), "cudaStreamWaitEvent");
    lane.sample(first);
    lane.sample(second);
    wait(lane.stream);
    expect(first.answers() == at_9 && second.answers() == at_10,
           "params in device memory are read when the stream is there");
    expect(first.step(0) == 10 && first.step(4) == 10,
           "and their steps advance then");
    check(cudaEventDestroy(copied), "cudaEventDestroy");
}

void other_streams(const tessera_sampler *sampler)
{
    Rows rows(row_count, vocab, 5);
    Lane lane(sampler);
    OnDevice on(rows);
    Answers expected = rows.answers();
    cudaStream_t blocking = new_stream(sampler_device, cudaStreamDefault),
                 of_caller = new_stream(callers_device, cudaStreamNonBlocking);

    on.forget_answers();
    lane.sample(on, nullptr);
    wait(blocking);
    lane.sample(on, blocking);
    check(cudaSetDevice(sampler_device), "cudaSetDevice");
    wait(nullptr);
    check(cudaSetDevice(callers_device), "cudaSetDevice");
    expect(on.answers() == expected,
           "no stream is the default stream of the sampler's device");
    tessera_status status =
        tessera_sample(sampler, lane.workspace, lane.workspace_bytes, &on.batch,
                       &on.outputs, of_caller);
    expect(status == TESSERA_BAD_ARGUMENT &&
               std::strstr(tessera_last_error(), "stream is of device 0"),
           "a stream of another device is refused");
    check(cudaStreamDestroy(blocking), "cudaStreamDestroy");
    check(cudaStreamDestroy(of_caller), "cudaStreamDestroy");
}

cudaGraphExec_t captured(Lane &lane, const OnDevice &on)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;

    check(cudaStreamBeginCapture(lane.stream, cudaStreamCaptureModeGlobal),
          "cudaStreamBeginCapture");
    lane.sample(on);
    check(cudaStreamEndCapture(lane.stream, &graph), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    return executable;
}

/* Two graphs, a workspace each, replayed beside eager calls of a third. */
void replays(const tessera_sampler *sampler)
{
    Rows one(row_count, vocab, 6), other(row_count, vocab, 7);
    Lane a(sampler), b(sampler), eager(sampler);
    OnDevice on_a(one), on_b(other), on_eager(one);
    Rows *rows[] = {&one, &other};
    OnDevice *on[] = {&on_a, &on_b};

    for (OnDevice *each : {&on_a, &on_b, &on_eager}) {
        each->params_in_device_memory();
        each->batch.advance_step = 1;
    }
    cudaGraphExec_t graphs[] = {captured(a, on_a), captured(b, on_b)};
    expect(on_a.step(0) == 0, "a capture runs nothing");
    for (uint64_t step = 0; step < steps; step++) {
        for (OnDevice *each : {&on_a, &on_b, &on_eager})
            each->forget_answers();
        check(cudaGraphLaunch(graphs[0], a.stream), "cudaGraphLaunch");
        eager.sample(on_eager);
        check(cudaGraphLaunch(graphs[1], b.stream), "cudaGraphLaunch");
        for (Lane *lane : {&b, &eager, &a})
            wait(lane->stream);
        for (int i = 0; i < 2; i++)
            expect(on[i]->answers() == at_step(*rows[i], step) &&
                       on[i]->step(3) == step + 1,
                   "a replay is a call of the next step");
        expect(on_eager.answers() == on_a.answers(),
               "eager calls and replays agree");
    }

    /* New params between replays, copied in the stream. */
    one.set_step(2);
    Pinned two(one);
    for (int twice = 0; twice < 2; twice++) {
        two.copy(on_a, a.stream);
        check(cudaGraphLaunch(graphs[0], a.stream), "cudaGraphLaunch");
    }
    wait(a.stream);
    expect(on_a.answers() == at_step(one, 2) && on_a.step(0) == 3,
           "a replay sees new params");
    for (cudaGraphExec_t graph : graphs)
        check(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
}

void captured_host_params(const tessera_sampler *sampler)
{
    Rows rows(row_count, vocab, 8);
    Lane lane(sampler);
    OnDevice on(rows);
    Answers expected = at_step(rows, 0);

    rows.set_step(0);
    cudaGraphExec_t graph = captured(lane, on);
    for (tessera_params &p : rows.params)
        p = TESSERA_PARAMS_INIT;
    for (int replay = 0; replay < 2; replay++) {
        on.forget_answers();
        check(cudaGraphLaunch(graph, lane.stream), "cudaGraphLaunch");
        wait(lane.stream);
        expect(on.answers() == expected,
               "params in host memory stay as they were at the capture");
    }
    check(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
}

} // namespace

int main()
{
    Rows rows(row_count, vocab, 0);
    tessera_config config = config_of(rows);
    tessera_sampler *sampler;

    check(cudaSetDevice(callers_device), "cudaSetDevice");
    check(tessera_create(&config, &sampler), "tessera_create");
    two_streams(sampler);
    host_params(sampler);
    device_params(sampler);
    other_streams(sampler);
    replays(sampler);
    captured_host_params(sampler);
    tessera_free(sampler);
    vgpu_live left = vgpu_live_objects();
    expect(left.allocations + left.streams + left.events + left.graphs == 0,
           "nothing is left");
    std::printf("ordering: %d properties hold\n", held);
    return 0;
}
