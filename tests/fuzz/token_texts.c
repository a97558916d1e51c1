/*
 * token_texts.c - fuzzer: a file of token texts, of any bytes
 *
 * Whatever the texts are, what is printed of them is as wide as it must be.
 * report() stands here in the place of the command's (--wrap=report), so that
 * its one line can be counted.
 */

#include "fuzz.h"

#include "../../host/cli/cli.h"
#include "../../host/cli/token_texts.h"

#include <locale.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

/* What is printed of the first texts. */
enum { SHOWN = 20 };

static int reported;

__attribute__((format(printf, 2, 3))) int
__wrap_report(enum cli_exit status, const char *format, ...);

int __wrap_report(enum cli_exit status, const char *format, ...)
{
    char message[1024];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    REQUIRE(length > 0 && status != CLI_OK, "length %d, status %d", length,
            (int)status);
    reported++;
    return (int)status;
}

/* Made once: it takes longer than all the rest. */
static locale_t utf8(void)
{
    static locale_t made;

    if (!made)
        made = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    REQUIRE(made, "there is no locale C.UTF-8");
    return made;
}

/* The columns of what was printed; all of it printable characters. */
static size_t columns_of(const char *text, size_t size)
{
    size_t columns = 0;

    for (size_t i = 0; i < size;) {
        wchar_t c;
        size_t length = mbrtowc(&c, text + i, size - i, &(mbstate_t){0});

        REQUIRE(length >= 1 && length <= size - i, "byte %zu is no character",
                i);
        REQUIRE(wcwidth(c) > 0, "U+%04lx is not printable", (unsigned long)c);
        columns += (size_t)wcwidth(c);
        i += length;
    }
    return columns;
}

static void check_print(const struct token_texts *texts, int32_t token,
                        size_t columns)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    REQUIRE(out, "no memory");
    token_text_print(texts, token, columns, out);
    REQUIRE(fclose(out) == 0, "no memory");
    size_t printed = columns_of(text, size);
    if (columns > 0)
        REQUIRE(printed == columns, "%zu columns, not %zu: '%s'", printed,
                columns, text);
    free(text);
}

static void check_texts(const struct token_texts *texts)
{
    for (int32_t token = -1; token <= SHOWN; token++) {
        check_print(texts, token, 0);
        check_print(texts, token, 6);
        check_print(texts, token, 16);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct token_texts texts;
    char path[32];
    int file = memfd_create("texts", 0);

    REQUIRE(file >= 0, "no file in memory");
    REQUIRE(write(file, data, size) == (ssize_t)size, "no room for it");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);

    reported = 0;
    int status = token_texts_read(path, &texts);
    if (status == CLI_OK) {
        REQUIRE(reported == 0, "%d reports", reported);
        check_texts(&texts);
        locale_t before = uselocale(utf8());
        check_texts(&texts);
        uselocale(before);
    } else {
        REQUIRE(reported == 1 && status == CLI_USAGE, "%d reports, status %d",
                reported, status);
        REQUIRE(!texts.strings && texts.count == 0, "texts are left");
    }
    token_texts_free(&texts);
    close(file);
    return 0;
}
