/*
 * scratch.c - what one thread works in, carved from the workspace
 */

#include "scratch.h"

/* The place of the next array, or only its size when memory is NULL. */
struct carver {
    char *memory;
    size_t bytes;
};

static void *carve(struct carver *carver, size_t count, size_t element)
{
    void *at = carver->memory ? carver->memory + carver->bytes : NULL;

    carver->bytes += (count * element + 63) / 64 * 64;
    return at;
}

static void carve_blocks(struct carver *carver, struct blocks *blocks,
                         size_t count)
{
    blocks->peak = carve(carver, count, sizeof(float));
    blocks->odd = carve(carver, count, sizeof(uint8_t));
    blocks->first_edit = carve(carver, count, sizeof(int32_t));
}

static void carve_list(struct carver *carver, struct token_list *list,
                       size_t tokens)
{
    list->x = carve(carver, tokens + BLOCK_TOKENS, sizeof(float));
    list->id = carve(carver, tokens + BLOCK_TOKENS, sizeof(int32_t));
}

static size_t lay_out(struct scratch *scratch,
                      const struct tessera_config *config, void *memory)
{
    struct carver carver = {memory, 0};
    size_t tokens = (size_t)config->vocab;
    size_t count = block_count(tokens);
    size_t named = (size_t)config->max_history + (size_t)config->max_edits;
    size_t edited = named < tokens ? named : tokens;

    carve_blocks(&carver, &scratch->blocks, count);
    carve_blocks(&carver, &scratch->survivor_blocks, count);
    carve_blocks(&carver, &scratch->raw_blocks, count);
    scratch->kept_weight = carve(&carver, count, sizeof(uint64_t));
    scratch->kept_count = carve(&carver, count, sizeof(int32_t));
    carve_list(&carver, &scratch->survivors, tokens);
    carve_list(&carver, &scratch->list, tokens);
    carve_list(&carver, &scratch->picked, tokens);
    scratch->edited = carve(&carver, edited, sizeof(struct edited));
    scratch->table =
        carve(&carver, (size_t)1 << table_bits(edited), sizeof(int32_t));
    scratch->block = carve(&carver, BLOCK_TOKENS, sizeof(float));
    scratch->weights = carve(&carver, BLOCK_TOKENS, sizeof(uint64_t));
    return carver.bytes;
}

size_t scratch_bytes(const struct tessera_config *config)
{
    struct scratch scratch;

    return lay_out(&scratch, config, NULL);
}

void scratch_carve(struct scratch *scratch, const struct cpu_loops *loops,
                   const struct tessera_config *config, void *memory)
{
    *scratch = (struct scratch){.loops = loops};
    lay_out(scratch, config, memory);
}
