"""compare.py - tessera's CPU backend beside other samplers, on the same logits

  compare.py TESSERA LLAMA_CHAIN --output DIR [--rounds N] [--milliseconds N]

Writes each case's logits with tessera bench --save, then measures every sampler
on that file, one after the other, in several rounds; each has one thread.  What
is printed are medians of rounds, and the least and the most of them.  DIR gets
peers.md, peers.svg and peers.json.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import version

import numpy

import plot

HERE = pathlib.Path(__file__).resolve().parent
VOCAB = 128256
CASES = [
    "greedy",
    "temperature",
    "top_k40",
    "top_k40+top_p95+min_p05",
    "top_k40+top_p95+min_p05+penalties64",
    "top_p95_peaked",
    "top_p95",
    "top_p95_flat",
    "real",
]
RECORDED_ROWS = 24


class Tessera:
    name = "tessera"

    def __init__(self, command, recording):
        self.command = command
        self.recording = recording
        self.floor = []

    def run(self, case, *options):
        rows = RECORDED_ROWS if case == "real" else 1
        shape = (["--logits", self.recording] if case == "real" else
                 ["--vocab-size", str(VOCAB)])
        printed = subprocess.run(
            [self.command, "bench", "--json", "--backend", "cpu", "--case",
             case, "--batch", str(rows), *shape, *options],
            check=True, capture_output=True, text=True).stdout
        measured = json.loads(printed)
        return {key: measured[key] / rows for key in
                ("us_median", "us_min", "us_max", "floor_us")}

    def save(self, case, path):
        self.run(case, "--repeat", "1", "--save", path)

    def measure(self, path, case, milliseconds):
        us = self.run(case)
        self.floor.append(us["floor_us"])
        return us["us_median"]


class LlamaCpp:
    name = "llama.cpp"

    def __init__(self, command):
        self.command = command

    def measure(self, path, case, milliseconds):
        printed = subprocess.run(
            [self.command, path, case, str(milliseconds)],
            check=True, capture_output=True, text=True).stdout
        return float(printed.split()[0])


class Worker:
    def __init__(self, name, script):
        self.name = name
        one_thread = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
                      "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, HERE / script], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, **one_thread})

    def measure(self, path, case, milliseconds):
        print(path, case, milliseconds, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline().split()[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def machine():
    """The processor's model and the number of them."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.split(':', 1)[1].strip()}, {os.cpu_count()} CPUs"
    return f"{platform.machine()}, {os.cpu_count()} CPUs"


def first_line(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout.splitlines()[0]


def us_text(us):
    return f"{us:,.0f}" if us >= 100 else f"{us:.1f}"


def ratio_text(ratio):
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.1f}x"


def table(results, names):
    """A Markdown table of medians, with each peer's over ours."""
    head = ["case", "floor", names[0]]
    head += [f"{name} (times ours)" for name in names[1:]]
    lines = ["| " + " | ".join(head) + " |",
             "|---" + "|---:" * (len(head) - 1) + "|"]
    for case, result in results.items():
        ours = statistics.median(result["us"][names[0]])
        cells = [f"`{case}`", us_text(result["floor_us"]),
                 f"**{us_text(ours)}** "
                 f"({ratio_text(ours / result['floor_us'])})"]
        for name in names[1:]:
            us = statistics.median(result["us"][name])
            cells.append(f"{us_text(us)} ({ratio_text(us / ours)})")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def spreads(results, names):
    """The least and the most of the rounds' medians."""
    lines = ["| case | " + " | ".join(names) + " |",
             "|---" + "|---:" * len(names) + "|"]
    for case, result in results.items():
        cells = [f"{us_text(min(result['us'][name]))} .. "
                 f"{us_text(max(result['us'][name]))}" for name in names]
        lines.append(f"| `{case}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def measure_case(case, folder, tessera, peers, rounds, milliseconds):
    path = str(folder / f"{case}.npy")
    tessera.save(case, path)
    tessera.floor = []
    us = {peer.name: [] for peer in peers}
    for _ in range(rounds):
        for peer in peers:
            us[peer.name].append(peer.measure(path, case, milliseconds))
    floor = statistics.median(tessera.floor)
    return {"floor_us": floor, "us": us}


def recording_as_float32(folder):
    recorded = HERE.parent / "data" / "smollm2.npy"
    path = folder / "smollm2-f32.npy"
    numpy.save(path, numpy.load(recorded).astype(numpy.float32))
    return str(path)


def write_report(folder, results, names, facts):
    text = (
        "# Other samplers, on the same logits\n\n"
        f"{facts}\n\n"
        "Microseconds for one row of 128,256 float32 logits, warm, on one "
        "thread: medians of\nrounds, in which every sampler is measured on "
        "the same file, one after the other. `real`\nis a row of the 24 "
        "recorded ones of 49,152. The floor is one scan for the maximum, and "
        "one\nsum of weights where every weight is needed. How each peer goes "
        "about it is said at the\ntop of its file in bench/peers.\n\n"
        f"{table(results, names)}\n\n"
        "Least and most of the rounds' medians:\n\n"
        f"{spreads(results, names)}\n\n"
        "![The table as bars](peers.svg)\n")
    (folder / "peers.md").write_text(text)
    print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("tessera")
    parser.add_argument("llama_chain")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=int, default=300)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tessera = Tessera(arguments.tessera, recording_as_float32(folder))
        workers = [Worker("NumPy", "numpy_chain.py"),
                   Worker("Hugging Face", "torch_chain.py")]
        peers = [tessera, LlamaCpp(arguments.llama_chain), *workers]
        results = {}
        for case in CASES:
            print(f"{case} ...", file=sys.stderr)
            results[case] = measure_case(case, folder, tessera, peers,
                                         arguments.rounds,
                                         arguments.milliseconds)
        for worker in workers:
            worker.close()

    names = [peer.name for peer in peers]
    facts = (
        f"{machine()}; {first_line('cc', '--version')}; "
        f"{datetime.date.today()}; load {os.getloadavg()[0]:.1f}. "
        f"{first_line(arguments.tessera, '--version')}; llama.cpp of "
        f"llama-cpp-python {os.environ['LLAMA_VERSION']}, -O3 -march=native; "
        f"NumPy {version('numpy')}; transformers {version('transformers')} on "
        f"PyTorch {version('torch')}.")
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "peers.json").write_text(
        json.dumps({"facts": facts, "names": names, "results": results},
                   indent=1) + "\n")
    write_report(arguments.output, results, names, facts)
    (arguments.output / "peers.svg").write_text(
        plot.bars(results, names, facts))


if __name__ == "__main__":
    main()
