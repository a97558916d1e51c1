/*
 * two_threads.cpp - one sampler, two host threads, two streams
 *
 * For ThreadSanitizer, with the library and the host side of the plugin built
 * for it (tests/vgpu/calls).  Each thread has a stream and a workspace and must
 * get the reference's answers; between its calls it makes samplers of its own,
 * so that loading meets sampling.
 *
 * Prints one line and exits 0, or says what differs and exits 1.
 */

#include "rows.h"

#include <cstdio>
#include <thread>

namespace
{

constexpr int row_count = 5, vocab = 37, calls = 6;

void sample_in_a_stream(const tessera_sampler *sampler, unsigned seed)
{
    Rows rows(row_count, vocab, seed);
    cudaStream_t stream;
    void *workspace;
    size_t workspace_bytes;

    check(cudaSetDevice(sampler_device), "cudaSetDevice");
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
          "cudaStreamCreate");
    check(cudaSetDevice(callers_device), "cudaSetDevice");
    check(tessera_workspace_create(sampler, row_count, &workspace,
                                   &workspace_bytes),
          "tessera_workspace_create");
    {
        OnDevice on(rows);

        on.batch.advance_step = 1;
        for (int call = 0; call < calls; call++) {
            Answers expected = rows.answers();

            check(tessera_sample(sampler, workspace, workspace_bytes, &on.batch,
                                 &on.outputs, stream),
                  "tessera_sample");
            check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
            if (!(on.answers() == expected))
                fail("two threads: call %d with seed %u differs", call, seed);
            if (tessera_workspace_bytes(sampler, -1) != 0)
                fail("two threads: -1 rows have a workspace");
            if (call % 2)
                continue;
            tessera_config config = config_of(rows);
            tessera_sampler *another;
            check(tessera_create(&config, &another), "tessera_create");
            tessera_free(another);
        }
    }
    tessera_workspace_free(sampler, workspace);
    check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

} // namespace

int main()
{
    Rows rows(row_count, vocab, 0);
    tessera_config config = config_of(rows);
    tessera_sampler *sampler;

    check(tessera_create(&config, &sampler), "tessera_create");
    std::thread one(sample_in_a_stream, sampler, 1u);
    std::thread other(sample_in_a_stream, sampler, 2u);
    one.join();
    other.join();
    tessera_free(sampler);
    std::printf("two threads: %d calls each agree with the reference\n", calls);
    return 0;
}
