/*
 * bench_print.c - what bench prints: a table, or an object a line
 */

#include "bench_print.h"

#include "bench_floor.h"
#include "json_output.h"

#include <inttypes.h>
#include <stdio.h>

void bench_print_title(const struct bench_options *options)
{
    if (options->json)
        return;
    printf("tessera %s; logits by splitmix64, seed %" PRIu64
           "; floor by %s on one thread\n",
           tessera_version(), options->seed, floor_instructions());
}

void bench_print_heading(const struct bench_line *line)
{
    const struct bench_target *target = line->target;
    char label[BACKEND_LABEL_BYTES];

    if (line->options->json)
        return;
    backend_label(&target->backend, label);
    printf("\n%s, ", label);
    if (target->backend.device == TESSERA_DEVICE_CUDA)
        printf("replays of a graph, warm L2; floor: half of a copy");
    else
        printf("%d thread%s", (int)target->threads,
               target->threads > 1 ? "s" : "");
    printf("\n%-*s %5s %7s %-5s %9s %16s %8s %7s %9s\n", line->name_width,
           "case", "batch", "vocab", "dtype", "us_median", "us_min..us_max",
           "floor_us", "ratio", "rows/s");
}

/* Four digits or more are enough without a fraction. */
static int decimals(double us)
{
    return us < 1000 ? 1 : 0;
}

static void print_row(const struct bench_line *line,
                      const struct workload *workload,
                      const struct measurement *measured)
{
    const struct bench_shape *shape = &workload->shape;
    const struct spread *us = &measured->sampler;
    char range[64];

    snprintf(range, sizeof(range), "%.*f..%.*f", decimals(us->least), us->least,
             decimals(us->most), us->most);
    printf("%-*s %5" PRId32 " %7" PRId32 " %-5s %9.*f %16s %8.1f %7.1f %9.0f\n",
           line->name_width, workload->what->name, shape->batch, shape->vocab,
           dtype_name(shape->dtype), decimals(us->median), us->median, range,
           measured->floor, us->median / measured->floor,
           shape->batch * 1e6 / us->median);
}

static int print_object(const struct bench_line *line,
                        const struct workload *workload,
                        const struct measurement *measured)
{
    const struct bench_shape *shape = &workload->shape;
    const struct bench_target *target = line->target;
    const struct spread *us = &measured->sampler;

    json_t *object = json_object();
    bool good =
        object && json_put_backend(object, &target->backend) &&
        json_put(object, "case", json_string(workload->what->name)) &&
        json_put(object, "batch", json_integer(shape->batch)) &&
        json_put(object, "vocab", json_integer(shape->vocab)) &&
        json_put(object, "dtype", json_string(dtype_name(shape->dtype))) &&
        json_put(object, "threads", json_integer(target->threads)) &&
        json_put(object, "us_median", json_real(us->median)) &&
        json_put(object, "us_min", json_real(us->least)) &&
        json_put(object, "us_max", json_real(us->most)) &&
        json_put(object, "floor_us", json_real(measured->floor)) &&
        json_put(object, "ratio", json_real(us->median / measured->floor)) &&
        json_put(object, "rows_per_s",
                 json_real(shape->batch * 1e6 / us->median)) &&
        json_put(object, "seed", json_of_word(line->options->seed));

    return json_print(json_whole(object, good));
}

int bench_print(const struct bench_line *line, const struct workload *workload,
                const struct measurement *measured)
{
    int status = CLI_OK;

    if (line->options->json)
        status = print_object(line, workload, measured);
    else
        print_row(line, workload, measured);
    fflush(stdout);
    return status;
}
