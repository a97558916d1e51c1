/*
 * failing.cpp - every CUDA call fails once
 *
 * The stand-in fails the first call that a phase makes, then the second, until
 * the phase has no more.  Each time what tessera.h promises is looked for: the
 * status, nothing written or left behind, the caller's device and pending
 * error as they were, and right answers from the next call.  With an error that
 * no device survives, every later call says so, and freeing frees all.
 *
 * Prints how many calls failed in each phase, or says what is not so.
 */

#include "rows.h"
#include "vgpu.h"

#include <cstdio>
#include <cstring>
#include <functional>

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

constexpr cudaError_t pending = cudaErrorInvalidDevice;

struct Failing {
    const char *phase;
    cudaError_t error;
    unsigned long k;
    const char *call; /* that failed; NULL: none was left */
    bool restoring;   /* it was to make the caller's device current again */

    [[noreturn]] void report(const char *what) const
    {
        fail("%s, call %lu (%s) failing with %s: %s", phase, k, call,
             cudaGetErrorName(error), what);
    }
    void expect(bool so, const char *what) const
    {
        if (!so)
            report(what);
    }
    bool fatal() const
    {
        return call && error == cudaErrorIllegalAddress;
    }
    /* CUB gives an error of its own for some calls that fail. */
    void expect_status(tessera_status status) const
    {
        bool so = status == TESSERA_OK ? !call || restoring
                  : fatal()            ? status == TESSERA_FATAL
                                       : status == TESSERA_CUDA_ERROR ||
                                  (status == TESSERA_OUT_OF_MEMORY &&
                                   error == cudaErrorMemoryAllocation);

        expect(so && (call || status == TESSERA_OK),
               status == TESSERA_OK ? "it goes well" : tessera_last_error());
    }
};

bool operator==(const vgpu_live &a, const vgpu_live &b)
{
    return a.allocations == b.allocations && a.bytes == b.bytes &&
           a.streams == b.streams && a.events == b.events &&
           a.graphs == b.graphs;
}

/* Runs a phase with its k-th call failing; the phase only calls. */
Failing let_fail(const char *phase, cudaError_t error, unsigned long k,
                 const std::function<void()> &calls)
{
    Failing failing = {phase, error, k, nullptr, false};

    cudaGetLastError();
    cudaSetDevice(99); /* an error of the program's own */
    vgpu_fail_call(k, error);
    calls();
    failing.call = vgpu_failed_call();
    vgpu_fail_call(0, cudaSuccess);
    int device = vgpu_current_device();
    failing.restoring = failing.call && device == sampler_device &&
                        std::strcmp(failing.call, "cudaSetDevice") == 0;
    failing.expect(device == callers_device || failing.restoring,
                   "another device is current");
    if (cudaSetDevice(callers_device) == cudaSuccess)
        failing.expect(cudaPeekAtLastError() == pending,
                       "the program's pending error is gone");
    return failing;
}

/* A sampler with all that a call takes. */
struct Engine {
    Rows &rows;
    tessera_sampler *sampler = nullptr;
    void *workspace = nullptr;
    size_t workspace_bytes = 0;
    cudaStream_t stream = nullptr;

    explicit Engine(Rows &asked) : rows(asked)
    {
        tessera_config config = config_of(rows);

        check(tessera_create(&config, &sampler), "tessera_create");
        check(tessera_workspace_create(sampler, rows.rows, &workspace,
                                       &workspace_bytes),
              "tessera_workspace_create");
        check(cudaSetDevice(sampler_device), "cudaSetDevice");
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
              "cudaStreamCreate");
        check(cudaSetDevice(callers_device), "cudaSetDevice");
    }
    ~Engine()
    {
        cudaStreamDestroy(stream);
        tessera_workspace_free(sampler, workspace);
        tessera_free(sampler);
    }
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    tessera_status sample(const OnDevice &on)
    {
        return tessera_sample(sampler, workspace, workspace_bytes, &on.batch,
                              &on.outputs, stream);
    }
};

/* What a lost device leaves: one status from every call, and frees that free.
 */
void expect_lost(const Failing &failing, Engine &engine, const OnDevice &on)
{
    void *memory = &engine;
    size_t bytes = 1;
    uint64_t word = 0;
    auto lost = [&](tessera_status status, const char *call) {
        failing.expect(status == TESSERA_FATAL, call);
        failing.expect(*tessera_last_error() != '\0', "it has no text");
    };

    for (int mended = 0; mended < 2; mended++) {
        lost(engine.sample(on), "then tessera_sample() is not fatal");
        lost(tessera_workspace_create(engine.sampler, 1, &memory, &bytes),
             "then tessera_workspace_create() is not fatal");
        failing.expect(!memory && bytes == 0, "it gives a workspace");
        lost(tessera_memory_create(engine.sampler, 8, &memory),
             "then tessera_memory_create() is not fatal");
        failing.expect(!memory, "it gives memory");
        lost(tessera_memory_write(engine.sampler, on.params, &word, 8),
             "then tessera_memory_write() is not fatal");
        lost(tessera_memory_read(engine.sampler, &word, on.params, 8),
             "then tessera_memory_read() is not fatal");
        failing.expect(tessera_workspace_bytes(engine.sampler, 1) == 0,
                       "then tessera_workspace_bytes() is not 0");
        /* Even if the device seems to be there again. */
        vgpu_mend();
    }
}

/* Each phase is run with each error, until no call of it is left to fail. */
using Phase = std::function<const char *(cudaError_t error, unsigned long k)>;

void run_phase(const char *name, const Phase &phase)
{
    constexpr cudaError_t errors[] = {cudaErrorMemoryAllocation,
                                      cudaErrorLaunchOutOfResources,
                                      cudaErrorIllegalAddress};
    unsigned long failed = 0;

    for (cudaError_t error : errors) {
        vgpu_live before = vgpu_live_objects();

        for (unsigned long k = 1; phase(error, k); k++) {
            if (!(vgpu_live_objects() == before))
                fail("%s, call %lu failing with %s: something is left behind",
                     name, k, cudaGetErrorName(error));
            failed++;
        }
    }
    if (failed == 0)
        fail("%s: makes no call that could fail", name);
    std::printf("failing: %s: %lu calls\n", name, failed);
}

const char *create(Rows &rows, cudaError_t error, unsigned long k)
{
    tessera_config config = config_of(rows);
    tessera_sampler *sampler;
    tessera_status status = TESSERA_OK;

    Failing failing = let_fail("create", error, k, [&] {
        sampler = reinterpret_cast<tessera_sampler *>(&config);
        status = tessera_create(&config, &sampler);
    });
    /* Devices that can't be counted are not there. */
    if (status != TESSERA_UNAVAILABLE || !failing.call ||
        std::strcmp(failing.call, "cudaGetDeviceCount") != 0)
        failing.expect_status(status);
    failing.expect(!sampler == (status != TESSERA_OK), "gives a sampler");
    tessera_free(sampler);
    vgpu_mend();
    return failing.call;
}

/* A device that the plugin has no code for is not there; a launch finds out. */
void create_without_code(Rows &rows)
{
    tessera_config config = config_of(rows);
    tessera_sampler *sampler;
    tessera_status status = TESSERA_OK;
    int launches = 0;

    for (unsigned long k = 1;; k++) {
        Failing failing =
            let_fail("create", cudaErrorNoKernelImageForDevice, k,
                     [&] { status = tessera_create(&config, &sampler); });
        tessera_free(sampler);
        if (!failing.call)
            break;
        if (std::strncmp(failing.call, "cudaLaunchKernel", 16) != 0)
            continue;
        launches++;
        failing.expect(status == TESSERA_UNAVAILABLE &&
                           std::strstr(tessera_last_error(), "has no code for"),
                       tessera_last_error());
    }
    if (launches == 0)
        fail("create: launches nothing");
}

const char *memory(Engine &engine, const OnDevice &on, cudaError_t error,
                   unsigned long k)
{
    void *workspace = nullptr, *room = nullptr;
    size_t bytes = 1, sized = 0;
    uint64_t words[2] = {7, 0};
    tessera_status status = TESSERA_OK;

    Failing failing = let_fail("memory", error, k, [&] {
        auto then = [&](auto next) {
            if (status == TESSERA_OK)
                status = next();
        };
        then([&] {
            sized = tessera_workspace_bytes(engine.sampler, 1);
            return sized ? TESSERA_OK : TESSERA_UNAVAILABLE;
        });
        then([&] {
            return tessera_workspace_create(engine.sampler, 1, &workspace,
                                            &bytes);
        });
        then([&] { return tessera_memory_create(engine.sampler, 8, &room); });
        then([&] {
            return tessera_memory_write(engine.sampler, room, &words[0], 8);
        });
        then([&] {
            return tessera_memory_read(engine.sampler, &words[1], room, 8);
        });
    });
    if (sized > 0)
        failing.expect_status(status);
    else
        failing.expect(failing.call, tessera_last_error());
    failing.expect((workspace == nullptr) == (bytes <= 1),
                   "a workspace without a size, or a size without one");
    failing.expect(status != TESSERA_OK || (bytes == sized && words[1] == 7),
                   "another size or word");
    tessera_memory_free(engine.sampler, room);
    tessera_workspace_free(engine.sampler, workspace);
    if (failing.fatal())
        expect_lost(failing, engine, on);
    return failing.call;
}

/* After a call that failed, one that does not is right. */
void expect_right(const Failing &failing, Engine &engine, OnDevice &on,
                  const Answers &expected)
{
    engine.rows.set_step(0);
    on.write_params(engine.rows);
    on.forget_answers();
    failing.expect(engine.sample(on) == TESSERA_OK, tessera_last_error());
    check(cudaStreamSynchronize(engine.stream), "cudaStreamSynchronize");
    failing.expect(on.answers() == expected, "the next answer is wrong");
}

const char *sample(Engine &engine, OnDevice &on, const Answers &expected,
                   cudaError_t error, unsigned long k)
{
    tessera_status status = TESSERA_OK;
    uint64_t step = 0;

    engine.rows.set_step(0);
    Failing failing =
        let_fail("sample", error, k, [&] { status = engine.sample(on); });
    step = engine.rows.params[0].step;
    failing.expect_status(status);
    failing.expect(on.batch.params_memory != TESSERA_MEMORY_HOST ||
                       step == (status == TESSERA_OK),
                   "params in host memory advanced, or did not");
    if (failing.fatal())
        expect_lost(failing, engine, on);
    else
        expect_right(failing, engine, on, expected);
    return failing.call;
}

const char *capture(Engine &engine, OnDevice &on, const Answers &expected,
                    cudaError_t error, unsigned long k)
{
    tessera_status status = TESSERA_OK;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable;

    engine.rows.set_step(0);
    on.write_params(engine.rows);
    check(cudaStreamBeginCapture(engine.stream, cudaStreamCaptureModeGlobal),
          "cudaStreamBeginCapture");
    Failing failing =
        let_fail("capture", error, k, [&] { status = engine.sample(on); });
    failing.expect_status(status);
    if (failing.fatal())
        expect_lost(failing, engine, on);
    cudaError_t ended = cudaStreamEndCapture(engine.stream, &graph);
    if (status == TESSERA_OK) {
        check(ended, "cudaStreamEndCapture");
        check(cudaGraphInstantiate(&executable, graph, 0), "instantiating");
        on.forget_answers();
        check(cudaGraphLaunch(executable, engine.stream), "cudaGraphLaunch");
        check(cudaStreamSynchronize(engine.stream), "cudaStreamSynchronize");
        failing.expect(on.answers() == expected, "the replay is wrong");
        check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
    } else if (!failing.fatal()) {
        expect_right(failing, engine, on, expected);
    }
    if (graph)
        check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    return failing.call;
}

/* Frees have no status: nothing may be left. */
const char *free_all(Rows &rows, cudaError_t error, unsigned long k)
{
    Engine engine(rows);
    void *room;

    check(tessera_memory_create(engine.sampler, 8, &room), "memory");
    Failing failing = let_fail("free", error, k, [&] {
        tessera_memory_free(engine.sampler, room);
        tessera_workspace_free(engine.sampler, engine.workspace);
        tessera_free(engine.sampler);
    });
    vgpu_mend();
    engine.sampler = nullptr;
    engine.workspace = nullptr;
    return failing.call;
}

/* A kernel's fault: each call after it is fatal. */
void a_fault_is_fatal(Rows &rows)
{
    vgpu_live before = vgpu_live_objects();
    {
        Engine engine(rows);
        OnDevice on(rows);
        Failing failing = {"a fault", cudaErrorIllegalAddress, 0, "a kernel",
                           false};

        on.batch.logits = on.params; /* too short */
        tessera_status status = engine.sample(on);
        failing.expect(status == TESSERA_OK || status == TESSERA_FATAL,
                       "the call is told of something else");
        failing.expect(cudaStreamSynchronize(engine.stream) != cudaSuccess,
                       "the stream does not say so");
        failing.expect(engine.sample(on) == TESSERA_FATAL, "is not fatal");
        failing.expect(vgpu_current_device() == callers_device,
                       "another device is current");
        expect_lost(failing, engine, on);
    }
    if (!(vgpu_live_objects() == before))
        fail("a fault: something is left behind");
}

/* In a process where nothing was called yet: whether a create that fails at its
 * k-th call spoils the next.  Ends the process, 0 if not. */
[[noreturn]] void spoil_first_create(Rows &rows, unsigned long k)
{
    tessera_config config = config_of(rows);
    tessera_sampler *sampler;
    itimerval seconds = {{0, 0}, {1, 0}};

    setitimer(ITIMER_PROF, &seconds, nullptr); /* of work; then it hangs */
    check(cudaSetDevice(callers_device), "cudaSetDevice");
    vgpu_fail_call(k, cudaErrorMemoryAllocation);
    tessera_status status = tessera_create(&config, &sampler);
    vgpu_fail_call(0, cudaSuccess);
    if (status == TESSERA_OK)
        _exit(2);
    _exit(tessera_create(&config, &sampler) == TESSERA_OK ? 0 : 1);
}

/* CUB asks three things once a process and keeps the answer, even an error, or
 * hangs.  The plugin asks first, so that no error is left for CUB to meet; the
 * stand-in, which can fail a call right after one that went well, still finds
 * the three. */
void first_creates(Rows &rows)
{
    constexpr int kept_by_cub = 3;
    int spoiled = 0;

    for (unsigned long k = 1; k <= 24; k++) {
        int status;
        pid_t child = fork();

        if (child == 0)
            spoil_first_create(rows, k);
        if (child < 0 || waitpid(child, &status, 0) != child)
            fail("first create: no process");
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
            fail("first create, call %lu failing: goes well", k);
        spoiled += status != 0;
    }
    if (spoiled > kept_by_cub)
        fail("first create: %d calls spoil the next, not %d", spoiled,
             kept_by_cub);
    std::printf("failing: first create: 24 calls, of which %d are CUB's to "
                "keep\n",
                spoiled);
}

} // namespace

int main()
{
    Rows rows(5, 37, 3);

    first_creates(rows);
    Answers expected = rows.answers();

    /* What CUB asks for once a process is another test. */
    check(cudaSetDevice(callers_device), "cudaSetDevice");
    Engine(rows).sample(OnDevice(rows));

    run_phase("create", [&](cudaError_t error, unsigned long k) {
        return create(rows, error, k);
    });
    create_without_code(rows);
    /* A sampler whose device is lost is of no more use. */
    auto with_engine = [&](const char *name, bool device_params, auto phase) {
        Engine lasting(rows);
        OnDevice lasting_on(rows);

        run_phase(name, [&](cudaError_t error, unsigned long k) {
            if (device_params)
                lasting_on.params_in_device_memory();
            lasting_on.batch.advance_step = 1;
            if (error != cudaErrorIllegalAddress)
                return phase(lasting, lasting_on, error, k);
            Engine engine(rows);
            OnDevice on(rows);
            on.batch = lasting_on.batch;
            on.batch.logits = lasting_on.batch.logits;
            if (device_params)
                on.params_in_device_memory();
            return phase(engine, on, error, k);
        });
    };
    with_engine("memory", false,
                [&](Engine &engine, OnDevice &on, cudaError_t error,
                    unsigned long k) { return memory(engine, on, error, k); });
    for (bool device_params : {false, true}) {
        auto sampling = [&](Engine &engine, OnDevice &on, cudaError_t error,
                            unsigned long k) {
            return sample(engine, on, expected, error, k);
        };
        auto capturing = [&](Engine &engine, OnDevice &on, cudaError_t error,
                             unsigned long k) {
            return capture(engine, on, expected, error, k);
        };
        with_engine(device_params ? "sample, params in device memory"
                                  : "sample, params in host memory",
                    device_params, sampling);
        with_engine(device_params ? "capture, params in device memory"
                                  : "capture, params in host memory",
                    device_params, capturing);
    }
    run_phase("free", [&](cudaError_t error, unsigned long k) {
        return free_all(rows, error, k);
    });
    a_fault_is_fatal(rows);
    vgpu_live left = vgpu_live_objects();
    if (left.allocations || left.streams || left.events || left.graphs)
        fail("at the end %zu allocations, %zu streams, %zu graphs are left",
             left.allocations, left.streams, left.graphs);
    return 0;
}
