/*
 * edits.c - the tokens that bans, bias and history name, edited
 *
 * Each token is gathered once, through a hash table of the size of the lists,
 * and its logit worked out with the functions of the stages; then it is hung
 * on its block, which view_block() puts right when it is read.
 */

#include "edits.h"

#include "../stages/edit.h"

/* The tokens gathered so far. */
struct gathering {
    struct edited *edited;
    int32_t count;
    int32_t *table;
    uint32_t shift; /* 32 less the bits of the table */
    int32_t vocab;
};

static struct edited *gather(struct gathering *gathering, int32_t token)
{
    uint32_t last = UINT32_MAX >> gathering->shift;
    uint32_t slot = (uint32_t)token * 0x9E3779B1u >> gathering->shift;

    while (gathering->table[slot] >= 0) {
        struct edited *edited = &gathering->edited[gathering->table[slot]];

        if (edited->token == token)
            return edited;
        slot = (slot + 1) & last;
    }
    gathering->table[slot] = gathering->count;
    struct edited *edited = &gathering->edited[gathering->count++];
    *edited = (struct edited){.token = token};
    return edited;
}

static void gather_segment(struct gathering *gathering, const int32_t *tokens,
                           size_t length, bool counts)
{
    for (size_t i = 0; i < length; i++) {
        if (tokens[i] < 0 || tokens[i] >= gathering->vocab)
            continue; /* a placeholder: it matches nothing */
        struct edited *edited = gather(gathering, tokens[i]);
        edited->seen = true;
        edited->count += counts;
    }
}

static void gather_all(struct gathering *gathering,
                       const struct tessera_edits *edits,
                       const struct tessera_window *window,
                       const struct tessera_params *params)
{
    for (int32_t i = 0; i < edits->ban_count; i++)
        gather(gathering, edits->bans[i])->banned = true;
    for (int32_t i = 0; i < edits->bias_count; i++)
        gather(gathering, edits->biases[i].token)->bias =
            edits->biases[i].value;
    gather_segment(gathering, window->prompt, window->prompt_length,
                   params->penalize_prompt != 0);
    gather_segment(gathering, window->generated, window->generated_length,
                   true);
}

static bool masked(const uint32_t *mask, int32_t token)
{
    return mask && !(mask[token / 32] >> token % 32 & 1);
}

/* The token's logit after the edits; -inf is out. */
static float edit(struct row_view *view, const struct edited *edited,
                  const struct tessera_params *params)
{
    if (edited->banned || masked(view->mask, edited->token))
        return -INFINITY;

    float x = tessera_widen(view->logits, view->type, (size_t)edited->token);
    if (isnan(x)) {
        view->nan = true;
        return -INFINITY;
    }
    x = tessera_biased(x, edited->bias);
    x = tessera_penalised(x, edited->seen, edited->count, params);
    return tessera_settled(x);
}

void view_edit(struct row_view *view, struct scratch *scratch,
               const struct tessera_question *question)
{
    const struct tessera_params *params = &question->params;
    struct tessera_window window = {NULL, 0, NULL, 0};

    view->mask = question->mask;
    if (tessera_penalties_on(params))
        window = tessera_penalty_window(&question->past, params);
    size_t named = (size_t)question->edits.ban_count +
                   (size_t)question->edits.bias_count + window.prompt_length +
                   window.generated_length;
    if (named == 0)
        return;

    uint32_t bits = table_bits(named < view->tokens ? named : view->tokens);
    struct gathering gathering = {
        .edited = scratch->edited,
        .table = scratch->table,
        .shift = 32 - bits,
        .vocab = (int32_t)view->tokens,
    };
    memset(scratch->table, 0xff, sizeof(int32_t) << bits);
    gather_all(&gathering, &question->edits, &window, params);

    int32_t *first = view->blocks.first_edit;
    memset(first, 0xff, view->block_count * sizeof(*first));
    for (int32_t i = 0; i < gathering.count; i++) {
        struct edited *edited = &gathering.edited[i];
        int32_t block = edited->token / BLOCK_TOKENS;

        edited->x = edit(view, edited, params);
        edited->next = first[block];
        first[block] = i;
    }
    view->edited = scratch->edited;
}
