/*
 * sample_outputs.c - what a call of tessera_sample() may write to
 */

#include "sample_call.h"

#include "fuzz.h"

/* An array of the outputs, if its bit says that it is wanted. */
static void *new_output(struct written *written, size_t i, uint32_t wanted,
                        size_t count, size_t element)
{
    struct array *array = &written->arrays[i];

    if (!(wanted >> i & 1))
        return NULL;
    *array = (struct array){NULL, element, count * element, NULL};
    array->memory = malloc(array->shift + array->bytes);
    REQUIRE(array->memory, "no memory for %zu bytes", array->bytes);
    memset(array->memory, FILL, array->shift + array->bytes);
    return array->memory + array->shift;
}

void make_outputs(struct written *written, const struct sample_call *call,
                  int32_t rows)
{
    size_t count = (size_t)rows;
    size_t listed = count * (size_t)call->outputs.top_n;
    uint32_t wanted = call->wanted;

    *written = (struct written){.outputs = call->outputs};
    struct tessera_outputs *outputs = &written->outputs;
    outputs->token = new_output(written, 0, wanted, count, 4);
    outputs->status = new_output(written, 1, wanted, count, 1);
    outputs->n_kept = new_output(written, 2, wanted, count, 4);
    outputs->weight_sum = new_output(written, 3, wanted, count, 8);
    outputs->logprob = new_output(written, 4, wanted, count, 4);
    outputs->raw_logprob = new_output(written, 5, wanted, count, 4);
    outputs->rank = new_output(written, 6, wanted, count, 4);
    outputs->top_tokens = new_output(written, 7, wanted, listed, 4);
    outputs->top_logprobs = new_output(written, 8, wanted, listed, 4);
}

void free_outputs(struct written *written)
{
    for (size_t i = 0; i < OUTPUT_ARRAYS; i++)
        free(written->arrays[i].memory);
}

static void check_filled(const struct array *array, size_t bytes)
{
    for (size_t i = 0; array->memory && i < bytes; i++)
        REQUIRE(array->memory[i] == FILL, "byte %zu of %zu + %zu", i,
                array->shift, array->bytes);
}

void check_before(const struct written *written)
{
    for (size_t i = 0; i < OUTPUT_ARRAYS; i++)
        check_filled(&written->arrays[i], written->arrays[i].shift);
}

void check_untouched(const struct written *written)
{
    for (size_t i = 0; i < OUTPUT_ARRAYS; i++)
        check_filled(&written->arrays[i],
                     written->arrays[i].shift + written->arrays[i].bytes);
}
