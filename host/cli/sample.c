/*
 * sample.c - tessera sample: draw a token for each row
 */

#include "cli.h"
#include "engine.h"
#include "json_output.h"
#include "request_run.h"
#include "sample_table.h"

static const struct command_line line = {
    .arguments = "LOGITS.npy",
    .doc = "Draw one token for each row of logits.\n\n" LOGITS_HELP "\v"
           "Prints a line for each row and step: the token, its natural "
           "log-probability among the tokens kept, how many were kept, and the "
           "row's status: ok, empty (no token was left), nan (a NaN was left "
           "out), or empty+nan; the command ends with 0 all the same.  The "
           "first line gives the seed, so that the run can be "
           "repeated.\n\n"
           "Examples:\n"
           "  tessera sample logits.npy --temperature 0\n"
           "  tessera sample logits.npy --top-p 0.9 --seed 7 --draws 20\n"
           "  tessera sample logits.npy --params rows.jsonl --json\n\n"
           "A line of rows.jsonl, for the first row, then (a seed from 2^63 on "
           "is a string, \"0x..\", and so is \"-inf\"; bias and bans stand for "
           "those of the options):\n"
           "  {\"top_p\": 0.9, \"seed\": 7, \"history\": [5, 3], "
           "\"bias\": {\"3\": 1.5}, \"ban\": [4]}\n",
};

/* Rows and steps of one call. */
#define CHUNK 64

/* The most probable tokens of a row. */
static json_t *top_list(const struct sample_view *view, int32_t i)
{
    struct top_tokens top = sample_top(view, i);
    json_t *list = json_array();
    bool good = list != NULL;

    for (int32_t n = 0; n < top.count && good; n++) {
        json_t *entry = json_object();

        good =
            json_put_token(entry, top.tokens[n], view->texts) &&
            json_put(entry, "logprob", json_of_real((double)top.logprobs[n]));
        good = json_array_append_new(list, json_whole(entry, good)) == 0;
    }
    return json_whole(list, good);
}

static int print_json(const struct sample_view *view, int32_t i)
{
    const struct answers *answers = &view->engine->answers;
    const struct tessera_params *params = &view->engine->picked.params[i];
    json_t *object = json_object();

    bool good =
        json_put(object, "row", json_integer(view->engine->picked.rows[i])) &&
        json_put(object, "seed", json_of_word(params->seed)) &&
        json_put(object, "stream", json_of_word(params->stream)) &&
        json_put(object, "step", json_of_word(params->step)) &&
        json_put_token(object, answers->token[i], view->texts) &&
        json_put(object, "logprob", json_of_real(answers->logprob[i])) &&
        json_put(object, "n_kept", json_integer(answers->n_kept[i])) &&
        json_put(object, "weight_sum", json_of_word(answers->weight_sum[i])) &&
        json_put(object, "status",
                 json_string(row_status_name(answers->status[i])));
    if (good && view->raw == RAW_ANSWERS)
        good = json_put(object, "raw_logprob",
                        json_of_real(answers->raw_logprob[i])) &&
               json_put(object, "rank", json_integer(answers->rank[i]));
    if (good && answers->top_n > 0)
        good = json_put(object,
                        view->raw == RAW_ANSWERS ? "raw_top_logprobs"
                                                 : "top_logprobs",
                        top_list(view, i));
    return json_print(json_whole(object, good));
}

/* All rows, each at all of its steps. */
static int sample_all(struct sample_view *view, struct engine *engine,
                      const struct request *request, bool json)
{
    struct pick picks[CHUNK];
    uint64_t first = 0;
    int32_t count;
    int status = CLI_OK;

    while (status == CLI_OK && !ferror(stdout) &&
           (count = request_places(request, view->draws, first, CHUNK, picks)) >
               0) {
        status = engine_sample(engine, request, picks, count, view->raw);
        for (int32_t i = 0; i < count && status == CLI_OK; i++) {
            if (json)
                status = print_json(view, i);
            else
                sample_table_row(view, i);
        }
        first += (uint64_t)count;
    }
    return status;
}

static int sample(const struct options *options, const struct request *request,
                  const struct token_texts *texts)
{
    struct engine engine;
    int32_t top_n =
        options->top_logprobs > 0 ? (int32_t)options->top_logprobs : 0;
    int status = engine_open(&engine, &options->backend, request, CHUNK, top_n);

    if (status != CLI_OK)
        return status;
    struct sample_view view = {
        .engine = &engine,
        .texts = texts,
        .raw = options->raw_logprobs ? RAW_ANSWERS : RAW_ANSWERS_NONE,
        .draws = options->draws,
    };
    if (!options->json)
        sample_table_start(&view, request,
                           backend_name(options->backend.device));
    status = sample_all(&view, &engine, request, options->json);
    engine_close(&engine);
    return status;
}

int cmd_sample(int argc, char **argv)
{
    return request_run(&line, argc, argv, sample);
}
