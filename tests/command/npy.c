/*
 * npy.c - .npy files: what is read, and what is refused by name
 */

#include "../../host/cli/npy.h"
#include "npy_bytes.h"
#include "row_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <unistd.h>

#define HEADER(descr, order, shape)                                            \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"
#define GOOD HEADER("'<f4'", "False", "(2, 3)")

static const float six[] = {1, 2, 3, 4, 5, 6};

/* Parses a file of this header with the six floats, or with 'size' of their
 * bytes; the message is "" if it was read. */
static char message[NPY_MESSAGE_BYTES];

static struct npy parse_sized(int major, const char *header, size_t size)
{
    struct npy array;
    unsigned char *bytes;
    size_t total = npy_bytes(major, header, six, size, &bytes);

    message[0] = '\0';
    int status = npy_parse(bytes, total, &array, message, sizeof(message));
    cr_assert(eq(int, status, message[0] ? -1 : 0));
    return array;
}

static struct npy parse(int major, const char *header)
{
    return parse_sized(major, header, sizeof(six));
}

static void expect_six(struct npy array)
{
    cr_assert(eq(str, message, ""));
    cr_assert(eq(int, (int)array.type, (int)NPY_FLOAT32));
    cr_assert(eq(sz, array.rows, 2));
    cr_assert(eq(sz, array.columns, 3));
    cr_assert(eq(int, array.dimensions, 2));
    cr_assert(memcmp(array.data, six, sizeof(six)) == 0);
}

static void expect_fault(const char *header, size_t size, const char *phrase)
{
    parse_sized(1, header, size);
    cr_assert(strstr(message, phrase) != NULL, "%s\ngives '%s', not '%s'",
              header, message, phrase);
    cr_assert(strchr(message, '\n') == NULL);
}

Test(npy, reads_rows_of_float32)
{
    expect_six(parse(1, GOOD));
}

Test(npy, reads_format_versions_2_and_3_too)
{
    expect_six(parse(2, GOOD));
    expect_six(parse(3, GOOD));
}

Test(npy, takes_one_dimension_as_one_row)
{
    struct npy array = parse(1, HEADER("'<f4'", "False", "(6,)"));

    cr_assert(eq(str, message, ""));
    cr_assert(eq(sz, array.rows, 1));
    cr_assert(eq(sz, array.columns, 6));
    cr_assert(eq(int, array.dimensions, 1));
}

Test(npy, reads_the_types_it_names)
{
    static const struct {
        const char *descr;
        enum npy_type type;
        const char *name;
        size_t bytes;
    } types[] = {
        {"<f4", NPY_FLOAT32, "float32", 4},
        {"<f2", NPY_FLOAT16, "float16", 2},
        {"<u2", NPY_UINT16, "uint16", 2},
        {"<u4", NPY_UINT32, "uint32", 4},
    };

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        char header[80];

        snprintf(header, sizeof(header),
                 "{'descr':'%s','fortran_order':False,'shape':(2,3)}",
                 types[i].descr);
        struct npy array = parse_sized(1, header, 6 * types[i].bytes);
        cr_assert(eq(str, message, ""));
        cr_assert(eq(int, (int)array.type, (int)types[i].type));
        cr_assert(
            eq(str, (char *)npy_type_name(array.type), (char *)types[i].name));
    }
}

Test(npy, reads_keys_in_any_order_and_spacing)
{
    static const char *const headers[] = {
        "{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}",
        "{'fortran_order':False,'shape':(2,3),'descr':'<f4'}",
        "{\"descr\": \"<f4\", \"shape\": (2, 3,), \"fortran_order\": False,}",
        (" {\t'descr' : '<f4' ,\n'fortran_order' : False ,"
         " 'shape' : ( 2 , 3 ) } \n\n   "),
    };

    for (size_t i = 0; i < COUNT_OF(headers); i++)
        expect_six(parse(1, headers[i]));
}

/* What is one row or one column lies the same in both orders. */
Test(npy, takes_fortran_order_only_where_it_means_nothing)
{
    parse(1, HEADER("'<f4'", "True", "(6,)"));
    cr_assert(eq(str, message, ""));
    parse(1, HEADER("'<f4'", "True", "(1, 6)"));
    cr_assert(eq(str, message, ""));
    parse(1, HEADER("'<f4'", "True", "(6, 1)"));
    cr_assert(eq(str, message, ""));
    expect_fault(HEADER("'<f4'", "True", "(2, 3)"), 24, "Fortran order");
}

Test(npy, refuses_other_types_by_name)
{
    expect_fault(HEADER("'>f4'", "False", "(2, 3)"), 24, "big-endian");
    expect_fault(HEADER("'<f8'", "False", "(3,)"), 24, "'<f8'");
    expect_fault(HEADER("'|i1'", "False", "(24,)"), 24, "'|i1'");
    expect_fault(HEADER("'|O'", "False", "(3,)"), 24, "'|O'");
    expect_fault(HEADER("[('a', '<f4')]", "False", "(6,)"), 24, "several");
    expect_fault(HEADER("4", "False", "(6,)"), 24, "malformed 'descr'");
    expect_fault(HEADER("'<f\\x34'", "False", "(6,)"), 24, "malformed");
    expect_fault(HEADER("'<f4 and a long name'", "False", "(6,)"), 24,
                 "malformed");
    expect_fault(HEADER("'<f4", "False", "(6,)"), 24, "header");
}

Test(npy, refuses_shapes_that_are_no_rows)
{
    expect_fault(HEADER("'<f4'", "False", "()"), 4, "0 dimensions");
    expect_fault(HEADER("'<f4'", "False", "(1, 2, 3)"), 24, "3 dimensions");
    expect_fault(HEADER("'<f4'", "False", "(0, 3)"), 0, "no elements");
    expect_fault(HEADER("'<f4'", "False", "(3, 0)"), 0, "no elements");
    expect_fault(HEADER("'<f4'", "False", "(0,)"), 0, "no elements");
    expect_fault(HEADER("'<f4'", "False", "(6)"), 24, "not a tuple");
    expect_fault(HEADER("'<f4'", "False", "6"), 24, "not a tuple");
    expect_fault(HEADER("'<f4'", "False", "[2, 3]"), 24, "not a tuple");
    expect_fault(HEADER("'<f4'", "False", "(2 3)"), 24, "malformed 'shape'");
    expect_fault(HEADER("'<f4'", "False", "(,)"), 24, "'shape'");
    expect_fault(HEADER("'<f4'", "False", "(-2, 3)"), 24, "'shape'");
    expect_fault(HEADER("'<f4'", "False", "(2.0, 3)"), 24, "'shape'");
    expect_fault(HEADER("'<f4'", "False", "(2, 3"), 24, "'shape'");
    expect_fault(HEADER("'<f4'", "False",
                        "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                        "1,1,1,1,1,1,1)"),
                 4, "32 dimensions");
}

/* Sizes whose product, in elements or bytes, wraps to a small one. */
Test(npy, refuses_sizes_that_overflow)
{
    expect_fault(HEADER("'<f4'", "False", "(4611686018427387904, 4)"), 0,
                 "4611686018427387904 rows");
    expect_fault(HEADER("'<f4'", "False", "(4294967296, 4294967296)"), 0,
                 "4294967296 elements a row");
    expect_fault(HEADER("'<f4'", "False", "(18446744073709551616, 1)"), 0,
                 "below 2^64");
    expect_fault(HEADER("'<f4'", "False", "(2147483648, 1)"), 0,
                 "2147483648 rows");
    expect_fault(HEADER("'<f4'", "False", "(1, 4194305)"), 0, "1 .. 4194304");
    expect_fault(HEADER("'<f4'", "False", "(2147483647, 4194304)"), 24,
                 "cut short");
}

Test(npy, refuses_data_of_another_size_than_the_shape)
{
    expect_fault(GOOD, 23, "cut short");
    expect_fault(GOOD, 0, "cut short");
    expect_fault(HEADER("'<f4'", "False", "(5,)"), 24, "too long");
    expect_fault(HEADER("'<f4'", "False", "(5,)"), 21, "too long");
}

Test(npy, refuses_headers_that_are_not_the_dict)
{
    expect_fault("", 24, "not a Python dict");
    expect_fault("hello", 24, "not a Python dict");
    expect_fault("{}", 24, "no 'descr'");
    expect_fault("{'descr': '<f4', 'shape': (6,)}", 24, "no 'fortran_order'");
    expect_fault("{'descr': '<f4', 'fortran_order': False}", 24, "no 'shape'");
    expect_fault("{'descr': '<f4' 'shape': (6,)}", 24, "not a Python dict");
    expect_fault("{'descr', '<f4'}", 24, "key without a value");
    expect_fault("{,}", 24, "key that is none of");
    expect_fault("{'descr': '<f4', 'descr': '<f4'}", 24, "twice");
    expect_fault("{'shape': (6,), 'x': 1}", 24, "key that is none of");
    expect_fault("{'a key that is much too long': 1}", 24, "none of");
    expect_fault(HEADER("'<f4'", "0", "(6,)"), 24, "neither True nor False");
    expect_fault(GOOD "x", 24, "after its dict");
    expect_fault("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)", 24,
                 "not a Python dict");
}

Test(npy, refuses_other_versions_and_files)
{
    struct npy array;
    unsigned char *bytes;
    size_t size = npy_bytes(1, GOOD, six, sizeof(six), &bytes);

    bytes[6] = 4;
    cr_assert(npy_parse(bytes, size, &array, message, sizeof(message)) == -1);
    cr_assert(strstr(message, "version 4.0") != NULL);
    bytes[6] = 1;
    bytes[7] = 1;
    cr_assert(npy_parse(bytes, size, &array, message, sizeof(message)) == -1);
    cr_assert(strstr(message, "version 1.1") != NULL);
    bytes[0] = 'P';
    cr_assert(npy_parse(bytes, size, &array, message, sizeof(message)) == -1);
    cr_assert(strstr(message, "not a .npy file") != NULL);
}

Test(npy, refuses_every_beginning_of_a_file)
{
    for (int major = 1; major <= 3; major++) {
        unsigned char *bytes;
        size_t size = npy_bytes(major, GOOD, six, sizeof(six), &bytes);

        for (size_t cut = 0; cut < size; cut++) {
            unsigned char *part = malloc(cut + (cut == 0));
            struct npy array;

            memcpy(part, bytes, cut);
            message[0] = '\0';
            cr_assert(npy_parse(part, cut, &array, message, sizeof(message)) ==
                      -1);
            cr_assert(message[0] != '\0');
            free(part);
        }
    }
}

/* Whatever the bytes, all that is said to be there can be read: see it under a
 * sanitizer. */
Test(npy, survives_bytes_changed_at_random)
{
    static const char likely[] = "0123456789(),'\"{}: <f4u2>TrueFalse\\\x01";
    uint64_t state = 20261130;
    size_t read = 0;

    for (int round = 0; round < 200000; round++) {
        unsigned char *bytes;
        struct npy array;
        size_t size = npy_bytes(1 + round % 3, GOOD, six, sizeof(six), &bytes);

        for (int change = 0; change < 1 + round % 4; change++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            size_t place = (state >> 33) % size;
            size_t letter = (state >> 8) % (sizeof(likely) - 1);
            bytes[place] = (unsigned char)likely[letter];
        }
        if (npy_parse(bytes, size, &array, message, sizeof(message)) == 0) {
            const unsigned char *data = array.data;
            size_t left = size - (size_t)(data - bytes);

            cr_assert(data[left - 1] == bytes[size - 1]);
            read++;
        }
        free(bytes);
    }
    cr_assert(read > 0);
}

static void write_file(const char *path, int major, const char *header)
{
    unsigned char *bytes;
    size_t size = npy_bytes(major, header, six, sizeof(six), &bytes);
    FILE *file = fopen(path, "wb");

    cr_assert(file != NULL);
    cr_assert(fwrite(bytes, 1, size, file) == size);
    cr_assert(fclose(file) == 0);
    free(bytes);
}

/* Headers of any length put the elements at any byte of the file. */
Test(npy, aligns_what_it_reads_from_a_file)
{
    char path[] = "/tmp/tessera-npy-XXXXXX";
    char header[] = GOOD "        ";
    int descriptor = mkstemp(path);
    struct npy array;

    cr_assert(descriptor >= 0);
    close(descriptor);
    for (size_t spaces = 0; spaces < 8; spaces++) {
        header[strlen(GOOD) + spaces] = '\0';
        write_file(path, 1, header);
        header[strlen(GOOD) + spaces] = ' ';
        cr_assert(npy_read(path, &array, message, sizeof(message)) == 0);
        message[0] = '\0';
        expect_six(array);
        cr_assert(eq(sz, (uintptr_t)array.data % sizeof(float), 0));
        npy_free(&array);
    }
    unlink(path);
}

Test(npy, says_why_a_file_cannot_be_read)
{
    struct npy array;

    cr_assert(npy_read("/tmp/no/such/file", &array, message, sizeof(message)) ==
              -1);
    cr_assert(strstr(message, "No such file") != NULL);
    cr_assert(npy_read("/tmp", &array, message, sizeof(message)) == -1);
    cr_assert(strstr(message, "directory") != NULL);
    cr_assert(npy_read("/dev/null", &array, message, sizeof(message)) == -1);
    cr_assert(strstr(message, "not a .npy file") != NULL);
    npy_free(&array);
}

/* An endless file of another kind ends the reading at once. */
Test(npy, does_not_read_on_in_what_is_no_array, .timeout = 20)
{
    struct npy array;

    cr_assert(npy_read("/dev/zero", &array, message, sizeof(message)) == -1);
    cr_assert(strstr(message, "not a .npy file") != NULL);
}
