"""worker.py - measure a peer that is a Python library, case by case

A worker reads lines "LOGITS.npy CASE MILLISECONDS" and answers each with the
microseconds of a row: median, least and most, in time of the processor, since
on a busy machine a row may wait for longer than it takes.  It keeps running, so that what
the library takes to load is paid once and nothing of it is measured.
"""

import statistics
import sys
import time

LEAST_SAMPLES = 5
SAMPLE_US = 200   # so that reading the clock does not show
HISTORY = 64


def measure(sample, rows, budget_s):
    """Times sample(row) over all rows, warmed up."""
    def time_rows(times):
        start = time.process_time()
        for _ in range(times):
            for row in rows:
                sample(row)
        return (time.process_time() - start) * 1e6 / times / len(rows)

    time_rows(1)
    times = int(SAMPLE_US / (time_rows(1) * len(rows))) + 1
    end = time.process_time() + budget_s
    us = []
    while len(us) < LEAST_SAMPLES or time.process_time() < end:
        us.append(time_rows(times))
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
