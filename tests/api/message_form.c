/*
 * message_form.c - what every error text must look like, and which there are
 */

#include "message_form.h"

#include "outside.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 200, MOST_SEEN = 256 };

static char *seen[MOST_SEEN];
static size_t seen_count;

/* What is wrong with a text's form; NULL: nothing. */
static const char *fault_of(const char *text)
{
    size_t length = strlen(text);

    if (length == 0)
        return "nothing is said";
    if (length >= MOST_BYTES)
        return "it is too long";
    for (size_t i = 0; i < length; i++)
        if (!isprint((unsigned char)text[i]))
            return "it is not one printable line";
    if (isupper((unsigned char)text[0]) || text[0] == ' ')
        return "it begins as a sentence does";
    if (strchr(".;:, ", text[length - 1]))
        return "it ends with punctuation";
    if (strchr(text, '%') || strstr(text, "(null)"))
        return "a conversion was left over";
    if (strstr(text, "  "))
        return "it has two spaces in a row";
    return NULL;
}

void expect_message(const char *file, int line, const char *text,
                    const char *pattern)
{
    const char *fault = fault_of(text);

    cr_assert(!fault, "%s:%d: %s: %s", file, line, text, fault);
    cr_assert(fnmatch(pattern, text, 0) == 0, "%s:%d: '%s' is not '%s'", file,
              line, text, pattern);
    cr_assert(seen_count < MOST_SEEN);
    seen[seen_count++] = strdup(text);
}

/* Reads string literals that stand side by side, macros of inttypes.h among
 * them, as a shell pattern: '*' for each conversion.  False: no literal is
 * there. */
static bool read_pattern(const char *code, char *pattern, size_t room)
{
    size_t length = 0;
    bool conversion = false; /* its letter has not been seen */

    if (*code != '"')
        return false;
    while (*code == '"' || isspace((unsigned char)*code) ||
           strncmp(code, "PRI", 3) == 0) {
        if (isspace((unsigned char)*code)) {
            code++;
        } else if (*code != '"') {
            conversion = false;
            code += strspn(code, "PRIdux3264");
        } else {
            for (code++; *code != '"'; code++) {
                cr_assert(length + 2 < room);
                if (conversion) {
                    conversion = !isalpha((unsigned char)*code) ||
                                 strchr("hljzt", *code);
                } else if (*code == '%') {
                    conversion = true;
                    pattern[length++] = '*';
                } else {
                    if (strchr("*?[", *code))
                        pattern[length++] = '\\';
                    pattern[length++] = *code;
                    if (*code == '\\')
                        pattern[length++] = *++code;
                }
            }
            code++;
        }
    }
    pattern[length] = '\0';
    return true;
}

static bool was_seen(const char *pattern, const char *const *unseen)
{
    for (size_t i = 0; i < seen_count; i++)
        if (fnmatch(pattern, seen[i], 0) == 0)
            return true;
    for (; *unseen; unseen++)
        if (strcmp(pattern, *unseen) == 0)
            return true;
    return false;
}

/* The texts of one source.  The status comes before the text. */
static size_t expect_seen_of(const char *path, const char *function,
                             const char *const *unseen)
{
    char *code = read_text(path);
    size_t count = 0;

    for (const char *call = code; (call = strstr(call, function));) {
        char pattern[512];

        call += strlen(function);
        if (*call != '(')
            continue;
        const char *text = call + strcspn(call, ",;");
        text += *text == ',';
        text += strspn(text, " \n");
        if (!read_pattern(text, pattern, sizeof(pattern)))
            continue;
        count++;
        cr_assert(was_seen(pattern, unseen), "%s: '%s' was not provoked", path,
                  pattern);
    }
    free(code);
    return count;
}

void expect_all_seen(const char *folder, const char *function,
                     const char *const *unseen)
{
    char pattern[256];
    glob_t sources;
    size_t count = 0;

    snprintf(pattern, sizeof(pattern), SOURCE_DIR "/%s/*.c", folder);
    cr_assert(glob(pattern, 0, NULL, &sources) == 0);
    for (size_t i = 0; i < sources.gl_pathc; i++)
        count += expect_seen_of(sources.gl_pathv[i], function, unseen);
    cr_assert(count > 0, "no call of %s in %s", function, pattern);
    globfree(&sources);
}
