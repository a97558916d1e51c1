/*
 * suggest.c - which name was meant
 */

#include "cli.h"

#include <limits.h>
#include <string.h>

/* Names longer than this are not compared. */
#define LONGEST 31

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbours that lead from
 * a to b (optimal string alignment). */
static int distance(const char *a, const char *b)
{
    size_t a_length = strlen(a);
    size_t b_length = strlen(b);
    int cost[LONGEST + 1][LONGEST + 1];

    if (a_length > LONGEST || b_length > LONGEST)
        return INT_MAX;
    for (size_t i = 0; i <= a_length; i++) {
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = (int)(i + j);
                continue;
            }
            int change = a[i - 1] != b[j - 1];
            int least = smaller(cost[i - 1][j], cost[i][j - 1]) + 1;
            least = smaller(least, cost[i - 1][j - 1] + change);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least = smaller(least, cost[i - 2][j - 2] + 1);
            cost[i][j] = least;
        }
    }
    return cost[a_length][b_length];
}

const char *suggest(const char *name, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    int least = INT_MAX;

    for (size_t i = 0; i < count; i++) {
        int d = distance(name, names[i]);

        /* One slip in three letters; more is another word. */
        if (d < least && d <= (int)(strlen(names[i]) + 1) / 3) {
            nearest = names[i];
            least = d;
        }
    }
    return nearest;
}
