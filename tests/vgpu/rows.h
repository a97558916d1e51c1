/*
 * rows.h - rows of random logits on a device, and what the reference says of
 * them
 *
 * What the programs beside it share.  Each plays a GPU of two devices
 * (VGPU_DEVICES), and works on the second while the first is current.
 */

#ifndef VGPU_ROWS_H
#define VGPU_ROWS_H

#include <cuda_runtime.h>
#include <tessera.h>

#include <cstdint>
#include <vector>

/* Ends the program with a line that says what is not so. */
[[noreturn]] void fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Ends the program unless the call went well. */
void check(cudaError_t error, const char *doing);
void check(tessera_status status, const char *doing);

constexpr int sampler_device = 1, callers_device = 0;

struct Answers {
    std::vector<int32_t> token, rank, n_kept;
    std::vector<float> logprob, raw_logprob;
    std::vector<uint64_t> weight_sum;
    std::vector<uint8_t> status;

    explicit Answers(size_t rows);
    tessera_outputs outputs();
    bool operator==(const Answers &other) const; /* to the bit */
};

/* Questions: rows of logits, and params of each kind. */
struct Rows {
    int32_t rows, vocab;
    std::vector<float> logits;
    std::vector<tessera_params> params;

    Rows(int32_t row_count, int32_t tokens, unsigned seed);
    void set_step(uint64_t step);
    tessera_batch batch();

    /* By the reference; without raw ones, which are then 0. */
    Answers answers(bool raw = true);
};

tessera_config config_of(const Rows &rows);

/* Memory of the sampler's device, and in it all that a call takes. */
struct OnDevice {
    int32_t rows;
    std::vector<void *> allocations;
    tessera_batch batch = TESSERA_BATCH_INIT;
    tessera_outputs outputs = TESSERA_OUTPUTS_INIT;
    tessera_params
        *params; /* as batch.params, with params_in_device_memory() */

    explicit OnDevice(Rows &from);
    ~OnDevice();
    OnDevice(const OnDevice &) = delete;
    OnDevice &operator=(const OnDevice &) = delete;

    void params_in_device_memory();
    void do_without_raw();
    void say_maxima(const Rows &from); /* the right ones, of rows unedited */
    void write_params(const Rows &from);
    uint64_t step(int32_t row) const;

    /* So that answers of a call before are not taken for those of the next. */
    void forget_answers();
    Answers answers() const;

  private:
    template <typename T>
    T *take(size_t count);
};

#endif
