/*
 * oracle_expect.c - a row's answer must be the oracle's
 */

#include "oracle.h"

#include <criterion/criterion.h>

#include <string.h>

void expect_oracle(const struct backend *backend, const struct test_row *row,
                   bool top_raw, const struct row_result *result, uint64_t seed,
                   size_t at)
{
    struct row_result answer = oracle_answer(row, top_raw);

    cr_assert(memcmp(result, &answer, sizeof(answer)) == 0,
              "%s, seed %llu, vocab %d, type %d, row %zu%s: token %d (%d), "
              "status %u (%u), n_kept %d (%d), weight_sum %llu (%llu), rank %d "
              "(%d), logprob %08x (%08x), raw %08x (%08x), first of the list "
              "%d (%d)",
              backend->name, (unsigned long long)seed, row->vocab,
              (int)row->type, at, top_raw ? ", raw lists" : "", result->token,
              answer.token, result->status, answer.status, result->n_kept,
              answer.n_kept, (unsigned long long)result->weight_sum,
              (unsigned long long)answer.weight_sum, result->rank, answer.rank,
              result->logprob, answer.logprob, result->raw_logprob,
              answer.raw_logprob, result->top_tokens[0], answer.top_tokens[0]);
}
