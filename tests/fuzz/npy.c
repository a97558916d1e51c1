/*
 * npy.c - fuzzer: a .npy file of any bytes
 */

#include "fuzz.h"

#include "../../host/cli/npy.h"

#include <tessera.h>

#include <string.h>

static const size_t element_bytes[] = {
    [NPY_FLOAT32] = 4,
    [NPY_FLOAT16] = 2,
    [NPY_UINT16] = 2,
    [NPY_UINT32] = 4,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct npy array;
    char message[NPY_MESSAGE_BYTES];

    memset(message, 'x', sizeof(message));
    if (npy_parse(data, size, &array, message, sizeof(message)) != 0) {
        REQUIRE(memchr(message, '\0', sizeof(message)), "no end");
        REQUIRE(message[0] && !strchr(message, '\n'), "'%s'", message);
        return 0;
    }

    /* The data are the last bytes of the file, all of them. */
    size_t bytes = array.rows * array.columns * element_bytes[array.type];
    const uint8_t *first = array.data;
    REQUIRE(array.rows >= 1 && array.rows <= INT32_MAX, "%zu", array.rows);
    REQUIRE(array.columns >= 1 && array.columns <= TESSERA_MAX_VOCAB, "%zu",
            array.columns);
    REQUIRE(array.dimensions == 2 || (array.dimensions == 1 && array.rows == 1),
            "%d", array.dimensions);
    REQUIRE(bytes <= size && first == data + (size - bytes), "%zu bytes",
            bytes);
    REQUIRE(!array.memory, "npy_parse() allocated");
    return 0;
}
