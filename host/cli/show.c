/*
 * show.c - tessera show: what each stage did to one row
 */

#include "show.h"

#include "cli.h"
#include "engine.h"
#include "request_run.h"

#include <inttypes.h>
#include <string.h>

/* Tokens in a list, where --top-logprobs does not say. */
#define LISTED 10

static const struct command_line line = {
    .arguments = "LOGITS.npy --row R",
    .doc =
        "Show what each stage did to one row of logits.\n\n" LOGITS_HELP "\v"
        "Prints the best tokens with their probabilities at several "
        "temperatures; what mask, bans, bias and penalties changed; how many "
        "tokens each filter kept and where it cut; the distribution that is "
        "left, and how the random number chose from it.  --top-logprobs says "
        "how many tokens the lists have (10).\n\n"
        "Example:\n"
        "  tessera show logits.npy --row 3 --temperature 0.8 --top-p 0.9\n",
    .options = OPTIONS_ROW,
};

static bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

/* The trace must end where tessera_sample() does. */
static int compare(const struct trace *trace, const struct answers *answers)
{
    int32_t kept = trace->token < 0 ? 0 : (int32_t)trace->row.kept;

    if (trace->token == answers->token[0] && kept == answers->n_kept[0] &&
        trace->sum == answers->weight_sum[0] &&
        same_bits(trace->logprob, answers->logprob[0]))
        return CLI_OK;
    return report(CLI_FAILED,
                  "internal error: the stages give token %d, n_kept %d, S "
                  "%" PRIu64 ", logprob %.9g and tessera_sample() %d, %d, "
                  "%" PRIu64 ", %.9g",
                  (int)trace->token, (int)kept, trace->sum,
                  (double)trace->logprob, (int)answers->token[0],
                  (int)answers->n_kept[0], answers->weight_sum[0],
                  (double)answers->logprob[0]);
}

static int show_trace(const struct options *options, const struct trace *trace,
                      const struct answers *answers,
                      const struct token_texts *texts)
{
    struct show_view view = {
        .trace = trace,
        .texts = texts,
        .path = options->logits,
        .row = (int32_t)options->row,
        .answers = answers,
        .raw = options->raw_logprobs,
        .listed =
            options->top_logprobs >= 0 ? (size_t)options->top_logprobs : LISTED,
        .draws = (uint64_t)options->draws,
    };
    int status = compare(trace, answers);

    if (status != CLI_OK)
        return status;
    if (options->json)
        return show_json(&view);
    show_text(&view);
    return CLI_OK;
}

static int show(const struct options *options, const struct request *request,
                const struct token_texts *texts)
{
    struct pick pick = {(int32_t)options->row, 0};
    struct engine engine;
    struct trace trace;

    if ((uint64_t)options->row >= request->logits.rows)
        return report(CLI_USAGE, "--row is %" PRId64 "; its range is 0 .. %zu",
                      options->row, request->logits.rows - 1);
    int status = engine_open(&engine, &options->backend, request, 1, 0);
    if (status != CLI_OK)
        return status;
    status =
        engine_sample(&engine, request, &pick, 1,
                      options->raw_logprobs ? RAW_ANSWERS : RAW_ANSWERS_NONE);
    if (status == CLI_OK) {
        if (trace_run(request, pick.row, &trace))
            status = show_trace(options, &trace, &engine.answers, texts);
        else
            status = report_memory();
        trace_free(&trace);
    }
    engine_close(&engine);
    return status;
}

int cmd_show(int argc, char **argv)
{
    return request_run(&line, argc, argv, show);
}
