/*
 * parameters.c - the table of parameters
 *
 * Name, range, off value and default of each, once: the checks, the command's
 * help, README's table and the tests all read it.
 */

#include <tessera.h>

#define FIELD(field)                                                           \
    .name = #field, .offset = offsetof(struct tessera_params, field)

static const struct tessera_parameter parameters[] = {
    {FIELD(repetition_penalty), .type = TESSERA_PARAMETER_FLOAT, .minimum = 0,
     .maximum = 1e6, .minimum_open = 1, .range = "(0, 1e6]", .off = "1",
     .initial = 1,
     .summary = "scale down the logits of tokens in the window, once each"},
    {FIELD(frequency_penalty), .type = TESSERA_PARAMETER_FLOAT, .minimum = -1e6,
     .maximum = 1e6, .range = "[-1e6, 1e6]", .off = "0", .initial = 0,
     .summary = "subtract this for every time a token was generated"},
    {FIELD(presence_penalty), .type = TESSERA_PARAMETER_FLOAT, .minimum = -1e6,
     .maximum = 1e6, .range = "[-1e6, 1e6]", .off = "0", .initial = 0,
     .summary = "subtract this once from each token generated"},
    {FIELD(penalty_window), .type = TESSERA_PARAMETER_INT, .minimum = INT32_MIN,
     .maximum = INT32_MAX, .range = "any int32", .off = "0", .initial = -1,
     .summary = "history entries that penalties look at; negative: all"},
    {FIELD(penalize_prompt), .type = TESSERA_PARAMETER_BOOL,
     .minimum = INT32_MIN, .maximum = INT32_MAX, .range = "0 or not",
     .off = "0", .initial = 0,
     .summary = "frequency and presence count prompt tokens too"},
    {FIELD(temperature), .type = TESSERA_PARAMETER_FLOAT, .minimum = 0,
     .maximum = 1e6, .range = "[0, 1e6]", .off = "1", .initial = 1,
     .summary = "divide the logits by this; below 1e-5: greedy"},
    {FIELD(top_k), .type = TESSERA_PARAMETER_INT, .minimum = -1,
     .maximum = INT32_MAX, .range = "-1 .. 2147483647", .off = "0",
     .initial = 0, .summary = "keep the k best tokens; -1 is off too"},
    {FIELD(top_p), .type = TESSERA_PARAMETER_FLOAT, .minimum = 0, .maximum = 1,
     .range = "[0, 1]", .off = "1", .initial = 1,
     .summary = "keep the fewest tokens that hold this share of the weight"},
    {FIELD(min_p), .type = TESSERA_PARAMETER_FLOAT, .minimum = 0, .maximum = 1,
     .range = "[0, 1]", .off = "0", .initial = 0,
     .summary = "keep tokens with this share of the best one's weight"},
    {FIELD(seed), .type = TESSERA_PARAMETER_WORD, .maximum_word = UINT64_MAX,
     .range = "0 .. 2^64 - 1", .off = "", .initial = 0,
     .summary = "the row's random numbers"},
    {FIELD(stream), .type = TESSERA_PARAMETER_WORD, .maximum_word = UINT64_MAX,
     .range = "0 .. 2^64 - 1", .off = "", .initial = 0,
     .summary = "tells n sequences of one seed apart"},
    {FIELD(step), .type = TESSERA_PARAMETER_WORD,
     .maximum_word = (UINT64_C(1) << 62) - 1, .range = "0 .. 2^62 - 1",
     .off = "", .initial = 0,
     .summary = "tokens the sequence has generated so far"},
};

const struct tessera_parameter *tessera_parameter_info(size_t index)
{
    if (index >= sizeof(parameters) / sizeof(parameters[0]))
        return NULL;
    return &parameters[index];
}
