"""batches.py - batches for `tessera check`: every stage, of each type

A batch's rows differ in what they ask for; the logits have ties, -inf,
infinities and NaNs.  The same each time.
"""

import json
import random
import struct

# Tokens of a row.  A short one ends within a load.  A long one has two tiles, and
# nothing between it and the next where rows are padded to a multiple of 8.
SHORT, LONG = 261, 4504

_ROWS = [
    {"temperature": 0.0},
    {"temperature": 1.0},
    {"temperature": 0.7, "top_k": 40, "top_p": 0.95},
    {"temperature": 1.5, "top_p": 0.9, "min_p": 0.001},
    {"temperature": 2.0, "top_k": 4400, "top_p": 0.999},
    {"temperature": 0.9, "top_k": 5, "repetition_penalty": 1.3,
     "history": 60, "prompt_tokens": 20},
    {"temperature": 1.0, "top_p": 0.999, "frequency_penalty": 0.4,
     "presence_penalty": 0.3, "history": 600, "prompt_tokens": 300,
     "penalize_prompt": 1, "bias": 300, "ban": 300},
    {"temperature": 0.0, "bias": 40, "ban": 9},
    {"temperature": 3.0, "min_p": 0.01, "repetition_penalty": 0.8,
     "presence_penalty": -0.5, "history": 300, "penalty_window": 250},
    {"temperature": 1.0, "top_k": 7, "top_p": 0.0},
    {"temperature": 1.0, "min_p": 1.0},
    {"temperature": 1.0},
]


def _row(number, asked, vocab, rng):
    row = {"seed": 11 + number, "stream": number, "step": 1000 * number}
    row.update(asked)
    if "history" in row:
        row["history"] = [rng.randrange(vocab // 20) * 20
                          for _ in range(row["history"])]
    if "bias" in row:
        ids = sorted({0, vocab - 1, *rng.sample(range(vocab),
                                                min(vocab, row["bias"]))})
        row["bias"] = {str(i): rng.uniform(-3, 3) for i in ids}
    if "ban" in row:
        row["ban"] = [0, vocab - 1,
                      *(rng.randrange(vocab) for _ in range(row["ban"]))]
    return row


def _logits(number, vocab, rng):
    """Peaked, with many ties; the third row has a NaN, the fourth an infinity,
    of the last but one a third of the tokens are the best, and of the last all
    but one weigh 1, the least there is."""
    values = [round(rng.gauss(0, 3) * 8) / 8 for _ in range(vocab)]
    for i in rng.sample(range(vocab), 40):
        values[i] = float("-inf")
    values[vocab - 3] = max(values)
    if number == 2:
        values[rng.randrange(vocab)] = float("nan")
    if number == 3:
        values[rng.randrange(vocab)] = float("inf")
    if number == len(_ROWS) - 2:
        for i in rng.sample(range(vocab), vocab // 3):
            values[i] = values[vocab - 3]
    if number == len(_ROWS) - 1:
        values = [-27.25] * vocab
        values[vocab - 3] = 0.0
    return values


def _bfloat16(value):
    return struct.pack("<f", value)[2:]


_TYPES = {"float32": ("<f4", lambda v: struct.pack("<f", v)),
          "float16": ("<f2", lambda v: struct.pack("<e", v)),
          "bfloat16": ("<u2", _bfloat16)}


def _write_npy(path, kind, shape, data):
    header = (f"{{'descr': '{kind}', 'fortran_order': False, "
              f"'shape': {shape}, }}")
    header = header.ljust(-(-(len(header) + 11) // 64) * 64 - 11) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + data)


def _write_mask(path, vocab, rng):
    """Leaves in about half, and of some groups of 32 none."""
    words = [rng.choice((0, rng.getrandbits(32), 0xffffffff))
             for _ in range(-(-vocab // 32))]
    _write_npy(path, "<u4", (1, len(words)),
               struct.pack(f"<{len(words)}I", *words))


def write_batches(folder, vocab):
    """Files in a new folder; returns the arguments of `tessera check` for each
    batch, by its type."""
    folder.mkdir()
    rng = random.Random(5)
    params, mask = folder / "params.jsonl", folder / "mask.npy"
    params.write_text("".join(json.dumps(_row(n, asked, vocab, rng)) + "\n"
                              for n, asked in enumerate(_ROWS)))
    _write_mask(mask, vocab, rng)
    arguments = {}
    for name, (kind, pack) in _TYPES.items():
        path = folder / f"{name}.npy"
        rows = [_logits(n, vocab, rng) for n in range(len(_ROWS))]
        data = b"".join(pack(value) for row in rows for value in row)
        _write_npy(path, kind, (len(rows), vocab), data)
        arguments[name] = [path, "--params", params, "--top-logprobs", "20"]
        if name == "bfloat16":
            arguments[name].append("--bf16")
        if name == "float16":
            arguments[name] += ["--allow-mask", mask]
    return arguments
