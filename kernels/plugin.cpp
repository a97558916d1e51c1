/*
 * plugin.cpp - the CUDA backend, as the library sees it
 *
 * Host side of the plugin: which device is current, what CUDA's errors mean,
 * and what is loaded when.  The caller's device stays current after every call.
 */

#include "../host/plugin.h"
#include "plan.h"

#include <atomic>
#include <new>

namespace
{

const tessera_plugin_host *host;

/* The plans there are, the one for a sampler that may use any first. */
const tessera::plan *const plans[] = {&tessera::fused_plan,
                                      &tessera::staged_plan};

struct cuda_state {
    const tessera::plan *plan;
    tessera::plan_state of_plan;
    std::atomic<bool> fatal{false};
};

cuda_state *state_of(const tessera_sampler *sampler)
{
    return static_cast<cuda_state *>(sampler->state);
}

/* Makes a sampler's device current for a scope.  A device that is lost may have
 * become current though cudaSetDevice() failed. */
class device_scope
{
  public:
    explicit device_scope(int device)
    {
        error_ = cudaGetDevice(&before_);
        if (error_ == cudaSuccess && before_ != device) {
            error_ = cudaSetDevice(device);
            restore_ = true;
        }
    }

    ~device_scope()
    {
        if (restore_ && cudaSetDevice(before_) != cudaSuccess)
            cudaGetLastError();
    }

    device_scope(const device_scope &) = delete;
    device_scope &operator=(const device_scope &) = delete;

    cudaError_t error() const
    {
        return error_;
    }

  private:
    int before_ = 0;
    bool restore_ = false;
    cudaError_t error_;
};

/* Errors after which the device's context is lost to the process. */
bool is_fatal(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
#if CUDART_VERSION >= 12080
    case cudaErrorContained:
    case cudaErrorTensorMemoryLeak:
#endif
    case cudaErrorUnknown:
        return true;
    default:
        return false;
    }
}

/* Takes the runtime's last error, which is our own: the runtime is linked into
 * the plugin.  CUB may have answered with less than that. */
tessera_status fail(const tessera_sampler *sampler, const char *doing,
                    cudaError_t error)
{
    cudaError_t last = cudaGetLastError();
    if (is_fatal(last))
        error = last;

    tessera_status status = TESSERA_CUDA_ERROR;

    if (error == cudaErrorMemoryAllocation)
        status = TESSERA_OUT_OF_MEMORY;
    if (is_fatal(error)) {
        status = TESSERA_FATAL;
        if (sampler && sampler->state)
            state_of(sampler)->fatal = true;
    }
    return host->fail(status, "%s failed: %s (%s)", doing,
                      cudaGetErrorString(error), cudaGetErrorName(error));
}

int32_t device_count(const char **why)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);

    if (error == cudaSuccess && count > 0)
        return count;
    *why = error == cudaSuccess ? "this machine has no CUDA device"
                                : cudaGetErrorString(error);
    cudaGetLastError();
    return 0;
}

bool read_ranges(tessera::parameter_ranges *ranges)
{
    const tessera_parameter *parameter;

    for (size_t i = 0; (parameter = host->parameter_info(i)) != nullptr; i++) {
        if (i >= tessera::most_parameters)
            return false;
        ranges->range[i] = {static_cast<uint32_t>(parameter->offset),
                            parameter->type,
                            parameter->minimum,
                            parameter->maximum,
                            parameter->maximum_word,
                            parameter->minimum_open};
        ranges->count = static_cast<int32_t>(i) + 1;
    }
    return true;
}

/* Launches every kernel once on a small row of each type, for params on both
 * sides, and with rows on chip and not, so that none is loaded later: loading
 * allocates, and may wait for the device. */
cudaError_t load_kernels(const cuda_state &state)
{
    constexpr int32_t vocab = 8;
    tessera::plan_state small = state.of_plan;
    small.config.vocab = vocab;
    small.chunk_rows = 1;

    size_t workspace_bytes = 0;
    cudaError_t error = state.plan->workspace_bytes(small, 1, &workspace_bytes);
    if (error != cudaSuccess)
        return error;

    /* Logits (all 0), the largest, offsets of no edits, outputs, params (0 is
     * out of range), then the workspace. */
    constexpr size_t scratch_bytes = 1024;
    cudaStream_t stream = nullptr;
    char *memory = nullptr;
    error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = cudaMalloc(&memory, scratch_bytes + workspace_bytes);
    if (error == cudaSuccess)
        error = cudaMemsetAsync(memory, 0, scratch_bytes, stream);

    for (int type = TESSERA_FLOAT32; type <= TESSERA_BFLOAT16; type++) {
        tessera_params params = TESSERA_PARAMS_INIT;
        tessera_batch batch = TESSERA_BATCH_INIT;
        tessera_outputs outputs = TESSERA_OUTPUTS_INIT;

        params.top_p = 0.5f;
        batch.rows = 1;
        batch.logits_type = static_cast<tessera_dtype>(type);
        batch.logits = memory;
        batch.logits_stride = vocab;
        batch.logits_rows = 1;
        batch.params = &params;
        batch.row_maxima = reinterpret_cast<float *>(memory + 128);
        batch.ban_offsets = reinterpret_cast<int64_t *>(memory + 256);
        outputs.rank = reinterpret_cast<int32_t *>(memory + 512);
        batch.stages = TESSERA_STAGE_DRAW;
        for (auto side : {TESSERA_MEMORY_HOST, TESSERA_MEMORY_SAMPLER}) {
            batch.params_memory = side;
            if (side == TESSERA_MEMORY_SAMPLER)
                batch.params = reinterpret_cast<tessera_params *>(memory + 768);
            small.chip = tessera_chip_to_load(&state.of_plan.chip,
                                              side == TESSERA_MEMORY_HOST);
            if (error == cudaSuccess)
                error = state.plan->sample(small, memory + scratch_bytes, batch,
                                           outputs, {stream, nullptr, nullptr});
        }
    }
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    /* Waits for what a launch before a failing one still does. */
    for (cudaError_t freed :
         {cudaFree(memory), stream ? cudaStreamDestroy(stream) : cudaSuccess})
        error = error == cudaSuccess ? freed : error;
    return error;
}

/* The API lets no bits through but those of plans. */
const tessera::plan *pick_plan(uint32_t permitted)
{
    const tessera::plan *picked = plans[0];

    for (const tessera::plan *plan : plans)
        if (permitted == plan->bit)
            picked = plan;
    return picked;
}

/* Errors of a device for which nothing in the plugin was compiled. */
bool is_without_code(cudaError_t error)
{
    return error == cudaErrorNoKernelImageForDevice ||
           error == cudaErrorInvalidDeviceFunction ||
           error == cudaErrorUnsupportedPtxVersion ||
           error == cudaErrorJitCompilerNotFound;
}

tessera_status create(tessera_sampler *sampler)
{
    device_scope device(sampler->config.device_ordinal);
    if (device.error() != cudaSuccess)
        return fail(nullptr, "cudaSetDevice", device.error());
    cuda_state *state = new (std::nothrow) cuda_state;
    if (!state)
        return host->fail(TESSERA_OUT_OF_MEMORY,
                          "the state of a CUDA sampler could not be allocated");
    state->plan = pick_plan(sampler->config.plans);
    state->of_plan.config = sampler->config;
    state->of_plan.ranges = {};
    state->of_plan.params_stages = host->params_stages;
    cudaError_t error = cudaErrorInvalidValue;
    if (read_ranges(&state->of_plan.ranges))
        error = state->plan->fit(&state->of_plan);
    if (error == cudaSuccess)
        error = load_kernels(*state);
    if (error != cudaSuccess) {
        delete state;
        if (!is_without_code(error))
            return fail(nullptr, "loading the kernels", error);
        cudaGetLastError();
        return host->fail(TESSERA_UNAVAILABLE,
                          "config.device_ordinal is %d; the CUDA plugin has no "
                          "code for that device: %s (%s)",
                          sampler->config.device_ordinal,
                          cudaGetErrorString(error), cudaGetErrorName(error));
    }
    sampler->state = state;
    return TESSERA_OK;
}

void destroy(tessera_sampler *sampler)
{
    delete state_of(sampler);
}

/* Whether a call before this one lost the device; says so if it did. */
bool lost(const tessera_sampler *sampler)
{
    if (!state_of(sampler)->fatal)
        return false;
    host->fail(TESSERA_FATAL,
               "an earlier call lost the device; free the sampler");
    return true;
}

size_t workspace_bytes(const tessera_sampler *sampler, int32_t rows)
{
    if (lost(sampler))
        return 0;

    const cuda_state *state = state_of(sampler);
    device_scope device(sampler->config.device_ordinal);
    size_t bytes = 0;
    cudaError_t error = device.error();

    if (error == cudaSuccess)
        error = state->plan->workspace_bytes(state->of_plan, rows, &bytes);
    if (error != cudaSuccess) {
        fail(sampler, "sizing the workspace", error);
        return 0;
    }
    return bytes;
}

tessera_status memory_create(const tessera_sampler *sampler, size_t bytes,
                             void **memory)
{
    if (lost(sampler))
        return TESSERA_FATAL;

    device_scope device(sampler->config.device_ordinal);
    cudaError_t error = device.error();

    if (error == cudaSuccess)
        error = cudaMalloc(memory, bytes);
    return error == cudaSuccess ? TESSERA_OK
                                : fail(sampler, "allocating memory", error);
}

tessera_status copy(const tessera_sampler *sampler, void *to, const void *from,
                    size_t bytes, cudaMemcpyKind kind)
{
    if (lost(sampler))
        return TESSERA_FATAL;

    device_scope device(sampler->config.device_ordinal);
    cudaError_t error = device.error();

    if (error == cudaSuccess)
        error = cudaMemcpy(to, from, bytes, kind);
    return error == cudaSuccess ? TESSERA_OK
                                : fail(sampler, "copying memory", error);
}

tessera_status memory_write(const tessera_sampler *sampler, void *to,
                            const void *from, size_t bytes)
{
    return copy(sampler, to, from, bytes, cudaMemcpyHostToDevice);
}

tessera_status memory_read(const tessera_sampler *sampler, void *to,
                           const void *from, size_t bytes)
{
    return copy(sampler, to, from, bytes, cudaMemcpyDeviceToHost);
}

void memory_free(const tessera_sampler *sampler, void *memory)
{
    device_scope device(sampler->config.device_ordinal);

    if (cudaFree(memory) != cudaSuccess || device.error() != cudaSuccess)
        cudaGetLastError();
}

/* The device of a stream.  Many drivers do not tell it of one that is being
 * captured, and end the capture if asked; older ones never tell.  *device stays
 * as it is then. */
cudaError_t read_device_of(cudaStream_t stream, int *device)
{
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    cudaError_t error = cudaStreamIsCapturing(stream, &capturing);

#if CUDART_VERSION >= 12080
    if (error == cudaSuccess && capturing == cudaStreamCaptureStatusNone)
        error = cudaStreamGetDevice(stream, device);
    if (error == cudaErrorCallRequiresNewerDriver) {
        cudaGetLastError();
        error = cudaSuccess;
    }
#endif
    return error;
}

/* Host params are read at the call, so their steps advance at the call. */
void advance_steps(const tessera_batch &batch)
{
    for (int32_t row = 0; row < batch.rows; row++) {
        auto *params = reinterpret_cast<tessera_params *>(
            reinterpret_cast<char *>(batch.params) +
            static_cast<size_t>(row) * batch.params_stride);
        if (params->step < UINT64_C(1) << 62)
            params->step++;
    }
}

tessera_status sample(const tessera_sampler *sampler, void *workspace,
                      const tessera_batch *batch,
                      const tessera_outputs *outputs, tessera_stream stream)
{
    if (lost(sampler))
        return TESSERA_FATAL;

    cuda_state *state = state_of(sampler);
    device_scope device(sampler->config.device_ordinal);
    if (device.error() != cudaSuccess)
        return fail(sampler, "cudaSetDevice", device.error());

    int stream_device = sampler->config.device_ordinal;
    cudaError_t error = cudaSuccess;
    if (stream)
        error = read_device_of(stream, &stream_device);
    if (error != cudaSuccess)
        return fail(sampler, "asking about the stream", error);
    if (stream_device != sampler->config.device_ordinal)
        return host->fail(TESSERA_BAD_ARGUMENT,
                          "stream is of device %d; it must be of device %d, "
                          "the sampler's",
                          stream_device, sampler->config.device_ordinal);

    tessera::queue queue = {stream, sampler->config.on_launch,
                            sampler->config.launch_context};
    error =
        state->plan->sample(state->of_plan, workspace, *batch, *outputs, queue);
    if (error != cudaSuccess)
        return fail(sampler, "enqueuing the batch", error);
    if (batch->advance_step && batch->params_memory == TESSERA_MEMORY_HOST)
        advance_steps(*batch);
    return TESSERA_OK;
}

const tessera_backend backend = {
    "cuda",        device_count, create,      destroy,     workspace_bytes,
    memory_create, memory_write, memory_read, memory_free, sample,
};

} // namespace

extern "C" TESSERA_API const tessera_backend *
tessera_plugin(const tessera_plugin_host *from)
{
    if (from->version != TESSERA_PLUGIN_VERSION)
        return nullptr;
    /* Once: other threads may be using it. */
    static const bool kept = (host = from) != nullptr;
    return kept ? &backend : nullptr;
}
