/*
 * token_texts.h - what tokens look like: a file with a JSON string a line
 */

#ifndef TESSERA_CLI_TOKEN_TEXTS_H
#define TESSERA_CLI_TOKEN_TEXTS_H

#include <jansson.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct token_texts {
    /* Line i of the file is the text of token i, a JSON string.  Tokens from
     * count on have none. */
    json_t **strings;
    size_t count;
};

/* Reads the file; path NULL: no texts.  Returns CLI_OK, or the status of the
 * line reported, which names the file and the number of the line at fault. */
int token_texts_read(const char *path, struct token_texts *texts);

void token_texts_free(struct token_texts *texts);

/* The text of a token; NULL if it has none. */
json_t *token_text(const struct token_texts *texts, int32_t token);

/* Prints the text in quotes and on one line, with escapes for all that is not
 * one printable character in the caller's locale, in exactly 'columns'
 * columns: cut and marked by an ellipsis, or padded.  0: as wide as it is.
 * A token without text is all spaces. */
void token_text_print(const struct token_texts *texts, int32_t token,
                      size_t columns, FILE *out);

#endif
