/*
 * request.h - all that a run of the command asks: logits, and a question a row
 */

#ifndef TESSERA_CLI_REQUEST_H
#define TESSERA_CLI_REQUEST_H

#include "npy.h"
#include "options.h"
#include "rows.h"

struct request {
    struct npy logits;
    enum tessera_dtype type;
    struct npy masks; /* rows 0: none; 1: of every row */
    struct row_lists lists;
    struct row_request *row; /* [logits.rows] */
};

/* Reads the files that the options name and checks everything against the
 * size of the vocabulary.  CLI_OK, or the status of the line reported. */
int request_read(const struct options *options, struct request *request);

void request_free(struct request *request);

/* The mask of a row; NULL: none. */
const uint32_t *request_mask(const struct request *request, size_t row);

/* A row of the request at one of its steps. */
struct pick {
    int32_t row;
    uint64_t steps_on; /* after the step that the row asks for */
};

/* Fills picks with those from place 'first' on, as many as there are and no
 * more than 'most', and returns their number.  The places are the rows in their
 * order, each at 'draws' steps. */
int32_t request_places(const struct request *request, int64_t draws,
                       uint64_t first, int32_t most, struct pick *picks);

/* A batch with memory for its arrays. */
struct picked_batch {
    struct tessera_batch batch;
    struct tessera_params *params;
    int32_t *rows;    /* of the files */
    int32_t *indices; /* of rows and of masks, from the first of them on */
    int32_t *zeros;   /* of the one mask of all rows */
    int64_t *numbers; /* offsets and lengths */
    struct list biases;
    struct list bans;
    int32_t capacity;
};

/* Makes room for batches of up to 'capacity' rows.  CLI_OK, or the status of
 * the line reported; picked_batch_free() in both cases. */
int picked_batch_create(struct picked_batch *picked, int32_t capacity);
void picked_batch_free(struct picked_batch *picked);

/* Makes picked->batch of these rows, in this order; one may be there more than
 * once.  Points into the request.  CLI_OK, or the status reported. */
int request_pick(const struct request *request, const struct pick *picks,
                 int32_t count, struct picked_batch *picked);

#endif
