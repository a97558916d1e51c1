"""numpy_chain.py - sampling as one writes it with NumPy

Vectorised, in float32, and no more work than a case needs: a partition where
there is a top_k, a sort where top_p stands alone.
"""

import numpy

import worker

random = numpy.random.default_rng(1)


def draw(weights):
    sums = numpy.cumsum(weights)
    return int(numpy.searchsorted(sums, random.random() * sums[-1]))


def greedy(logits):
    return int(numpy.argmax(logits))


def temperature(logits):
    scaled = logits * numpy.float32(1 / 0.8)
    return draw(numpy.exp(scaled - scaled.max()))


def top_k40(logits):
    ids = numpy.argpartition(logits, -40)[-40:]
    kept = logits[ids]
    return int(ids[draw(numpy.exp(kept - kept.max()))])


def chain(logits):
    """top_k 40, temperature 0.8, top_p 0.95, min_p 0.05"""
    ids = numpy.argpartition(logits, -40)[-40:]
    ids = ids[numpy.argsort(-logits[ids])]
    kept = logits[ids] * numpy.float32(1 / 0.8)
    weights = numpy.exp(kept - kept[0])
    sums = numpy.cumsum(weights)
    count = int(numpy.searchsorted(sums, 0.95 * sums[-1])) + 1
    count = min(count, int(numpy.count_nonzero(weights >= 0.05)))
    return int(ids[draw(weights[:count])])


def top_p95(logits):
    order = numpy.argsort(-logits)
    kept = logits[order]
    sums = numpy.cumsum(numpy.exp(kept - kept[0]))
    count = int(numpy.searchsorted(sums, 0.95 * sums[-1])) + 1
    place = numpy.searchsorted(sums, random.random() * sums[count - 1])
    return int(order[place])


def penalized_chain(vocab):
    history = random.integers(0, vocab, worker.HISTORY)

    def sample(logits):
        ids, counts = numpy.unique(history, return_counts=True)
        seen = logits[ids]
        seen = numpy.where(seen > 0, seen / 1.1, seen * 1.1)
        penalized = logits.copy()
        penalized[ids] = seen - 0.1 * counts - 0.1
        return chain(penalized)

    return sample


def sampler_of(case, vocab):
    if case.endswith("penalties64"):
        return penalized_chain(vocab)
    if case == "top_k40+top_p95+min_p05" or case == "real":
        return chain
    if case.startswith("top_p95"):
        return top_p95
    return {"greedy": greedy, "temperature": temperature,
            "top_k40": top_k40}[case]


worker.serve(sampler_of, lambda path: list(numpy.load(path)))
