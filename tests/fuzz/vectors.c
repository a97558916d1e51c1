/*
 * vectors.c - fuzzer: a file of conformance vectors, of any bytes
 *
 * A case that is read must also be one that the reference can be asked.
 */

#include "fuzz.h"

#include "../../host/cli/ask_vector.h"
#include "../../host/cli/vectors.h"

#include <string.h>

/* A short text can ask for much: that takes long, and shows nothing more. */
enum { MOST_VOCAB = 4096, MOST_ROWS = 64 };

static void ask(const struct vector_case *asked)
{
    const struct backend_choice reference = {.device =
                                                 TESSERA_DEVICE_REFERENCE};
    struct launches launches = LAUNCHES_INIT;
    struct vector_outcome outcome;
    void *logits = vector_logits(asked);

    REQUIRE(logits, "no memory for %d logits", (int)asked->vocab);
    ask_vector(&reference, asked, logits, &launches, &outcome);
    REQUIRE(launches.kernels.count == 0, "the reference launched a kernel");
    REQUIRE(outcome.status == TESSERA_OK, "line %zu: %s", asked->line,
            tessera_last_error());
    vector_outcome_free(&outcome);
    free(logits);
}

static void check_message(const char *message)
{
    REQUIRE(memchr(message, '\0', VECTOR_ERROR_BYTES), "no end");
    REQUIRE(strncmp(message, "line ", 5) == 0, "'%s'", message);
    for (const char *c = message; *c; c++)
        REQUIRE(*c >= ' ' && *c <= '~', "'%s'", message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vector_reader reader = VECTOR_READER_INIT((const char *)data, size);
    struct vector_case read;
    char message[VECTOR_ERROR_BYTES];
    enum vector_result result;

    if (size == 0)
        return 0;
    memset(message, 'x', sizeof(message));
    while ((result = vector_next(&reader, &read, message)) == VECTOR_READ) {
        REQUIRE(read.prompt_length <= read.history_length, "%d of %d",
                (int)read.prompt_length, (int)read.history_length);
        if (read.vocab <= MOST_VOCAB && read.steps <= MOST_ROWS)
            ask(&read);
        vector_free(&read);
    }
    if (result == VECTOR_END)
        REQUIRE(reader.next == reader.end, "%zu bytes are left",
                (size_t)(reader.end - reader.next));
    else
        check_message(message);
    return 0;
}
