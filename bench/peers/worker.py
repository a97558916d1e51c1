"""worker.py - measure a peer that is a Python library, case by case

A worker reads lines "LOGITS.npy CASE MILLISECONDS" and answers each with the
microseconds of a row: median, least and most.  It keeps running, so that what
the library takes to load is paid once and nothing of it is measured.
"""

import statistics
import sys
import time

LEAST_SAMPLES = 5
HISTORY = 64


def measure(sample, rows, budget_s):
    """Times sample(row) over all rows, warmed up."""
    def once():
        start = time.perf_counter()
        for row in rows:
            sample(row)
        return (time.perf_counter() - start) * 1e6 / len(rows)

    once()
    end = time.perf_counter() + budget_s
    us = []
    while len(us) < LEAST_SAMPLES or time.perf_counter() < end:
        us.append(once())
    return statistics.median(us), min(us), max(us)


def serve(sampler_of, rows_of):
    """sampler_of(case, vocab) gives what samples a row, rows_of(path) the
    rows of a file."""
    for line in sys.stdin:
        path, case, milliseconds = line.split()
        rows = rows_of(path)
        sample = sampler_of(case, rows[0].shape[-1])
        us = measure(sample, rows, float(milliseconds) / 1e3)
        print("%.3f %.3f %.3f" % us, flush=True)
