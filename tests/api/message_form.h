/*
 * message_form.h - what every error text must look like, and which there are
 */

#ifndef TESSERA_TESTS_MESSAGE_FORM_H
#define TESSERA_TESTS_MESSAGE_FORM_H

/* Fails unless the text has the form (one printable line under 200 bytes that
 * does not begin as a sentence nor end as one, and in which no conversion was
 * left over) and the shell pattern matches it.  Notes that it was seen. */
void expect_message(const char *file, int line, const char *text,
                    const char *pattern);

/* Fails unless every text that the sources in a folder (from the root:
 * "host/cli") hand to 'function' has been seen by expect_message(), or is one
 * of 'unseen', a list that ends with NULL. */
void expect_all_seen(const char *folder, const char *function,
                     const char *const *unseen);

#endif
