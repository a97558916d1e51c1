/*
 * locale_text.h - whether the caller's terminal understands UTF-8
 */

#ifndef TESSERA_CLI_LOCALE_TEXT_H
#define TESSERA_CLI_LOCALE_TEXT_H

#include <langinfo.h>
#include <stdbool.h>
#include <string.h>

/* As LC_CTYPE says: main() has set it, and no other category. */
static inline bool locale_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

#endif
