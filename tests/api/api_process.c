/*
 * api_process.c - the library leaves its process alone: it never exits or
 * prints, and its last error is the thread's own
 */

#include "api_call.h"

#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SURVIVED = 42 };

/* Every function with NULL, nonsense and a call that is refused. */
static void misuse_everything(void)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_batch batch = TESSERA_BATCH_INIT;
    struct tessera_outputs outputs = TESSERA_OUTPUTS_INIT;
    struct tessera_sampler *sampler = NULL;
    void *workspace = NULL;
    size_t bytes = 0;

    tessera_create(NULL, NULL);
    tessera_create(NULL, &sampler);
    tessera_create(&config, NULL);
    tessera_create(&config, &sampler); /* a vocab of 0 */
    tessera_free(NULL);
    tessera_workspace_bytes(NULL, -1);
    tessera_workspace_create(NULL, 1, NULL, NULL);
    tessera_workspace_create(NULL, 1, &workspace, &bytes);
    tessera_workspace_free(NULL, NULL);
    tessera_workspace_free(NULL, &bytes);
    tessera_sample(NULL, NULL, 0, NULL, NULL, NULL);
    tessera_sample(NULL, NULL, 0, &batch, &outputs, NULL);
    tessera_params_check(NULL, NULL);
    tessera_parameter_info(SIZE_MAX);
    tessera_device_count((enum tessera_device)77);
    tessera_status_name((enum tessera_status) - 77);
    tessera_last_error();

    config.vocab = 10;
    batch.rows = 2;
    for (int device = 0; device < 3; device++) {
        config.device = (enum tessera_device)device;
        tessera_create(&config, &sampler);
        tessera_sample(sampler, NULL, 0, NULL, NULL, NULL);
        tessera_sample(sampler, NULL, 0, &batch, &outputs, NULL);
        tessera_sample(sampler, &bytes, sizeof(bytes), &batch, &outputs, NULL);
        tessera_workspace_create(sampler, 1, NULL, NULL);
        tessera_workspace_free(sampler, NULL);
        tessera_free(sampler);
    }
}

/* In a child, since a Criterion test that calls exit(0) passes. */
Test(api_process, misuse_does_not_end_the_process_or_print)
{
    int output[2];
    char printed;
    int status;

    cr_assert(pipe(output) == 0);
    fflush(NULL);
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        dup2(output[1], STDOUT_FILENO);
        dup2(output[1], STDERR_FILENO);
        misuse_everything();
        fflush(NULL);
        _exit(SURVIVED);
    }
    close(output[1]);
    cr_assert(read(output[0], &printed, 1) == 0, "something was printed");
    cr_assert(waitpid(child, &status, 0) == child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == SURVIVED,
              "the process ended with status %x", (unsigned)status);
    close(output[0]);
}

/* Fails once in its own way and keeps what its thread's error then is. */
static void *fail_in_a_thread(void *text)
{
    const char *first = tessera_last_error();
    bool fresh = first[0] == '\0';

    tessera_params_check(NULL, NULL);
    if (fresh)
        strncpy(text, tessera_last_error(), 99);
    return NULL;
}

Test(api_process, the_last_error_is_the_threads_own)
{
    char text[100] = "";
    pthread_t thread;

    cr_assert(tessera_last_error()[0] == '\0', "an error before any call");
    tessera_workspace_bytes(NULL, 1);
    cr_assert(strstr(tessera_last_error(), "sampler"));
    cr_assert(pthread_create(&thread, NULL, fail_in_a_thread, text) == 0);
    cr_assert(pthread_join(thread, NULL) == 0);
    cr_assert(strstr(text, "params"), "the thread's error was '%s'", text);
    cr_assert(strstr(tessera_last_error(), "sampler"), "it became '%s'",
              tessera_last_error());
}

/* A call that succeeds leaves the text as it was. */
Test(api_process, the_last_error_stays_until_the_next_failure)
{
    struct tessera_params params = TESSERA_PARAMS_INIT;

    tessera_params_check(NULL, NULL);
    cr_assert(tessera_params_check(&params, NULL) == TESSERA_OK);
    cr_assert(strstr(tessera_last_error(), "params is NULL"));
}
