"""torch_chain.py - sampling as Hugging Face's generate() does, with PyTorch

Its logits processors in the order of generate(), then softmax and multinomial;
one row is a batch of one.  There is no presence or frequency penalty in it, so
where a case has the three it does the repetition penalty alone.
"""

import numpy
import torch
from transformers import (
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

import worker

torch.set_num_threads(1)
torch.manual_seed(1)


def processors_of(case):
    processors = LogitsProcessorList()
    if case.endswith("penalties64"):
        processors.append(RepetitionPenaltyLogitsProcessor(1.1))
    if case == "temperature" or "min_p05" in case or case == "real":
        processors.append(TemperatureLogitsWarper(0.8))
    if "top_k40" in case or case == "real":
        processors.append(TopKLogitsWarper(40))
    if "top_p95" in case or case == "real":
        processors.append(TopPLogitsWarper(0.95))
    if "min_p05" in case or case == "real":
        processors.append(MinPLogitsWarper(0.05))
    return processors


def sampler_of(case, vocab):
    processors = processors_of(case)
    history = torch.randint(vocab, (1, worker.HISTORY))

    @torch.inference_mode()
    def greedy(logits):
        return torch.argmax(logits, dim=-1)

    @torch.inference_mode()
    def draw(logits):
        scores = processors(history, logits)
        probabilities = torch.nn.functional.softmax(scores, dim=-1)
        return torch.multinomial(probabilities, num_samples=1).squeeze(1)

    return greedy if case == "greedy" else draw


def rows_of(path):
    return [torch.from_numpy(row.copy()).unsqueeze(0)
            for row in numpy.load(path)]


worker.serve(sampler_of, rows_of)
