"""plays.py - `tessera check` on the harness, looking for races"""

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = Path(os.environ.get("TESSERA_VGPU_BUILD") or ROOT / "build/vgpu")
PLUGIN = BUILD / "libtessera_cuda_vgpu.so"

PLANS = ("fused", "staged")

# What waits, and for what never comes, uses no CPU time.
STUCK_SECONDS = 1800


def run(command, environment, seconds):
    """(whether it succeeded, what it printed), given so many seconds of CPU
    time: a machine that is busy with other things kills nobody."""
    if seconds:
        command = ["sh", "-c", f"ulimit -t {int(seconds) + 1}; exec \"$@\"",
                   "sh", HERE / "run", *command]
    else:
        command = [HERE / "run", *command]
    try:
        done = subprocess.run(command, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=STUCK_SECONDS)
    except subprocess.TimeoutExpired:
        return False, "did not end"
    return done.returncode == 0, done.stdout


class Play:
    """Questions for a plan of the CUDA backend, and the settings of the
    harness."""

    def __init__(self, plan, arguments, **settings):
        self.arguments = ["--plan", plan, *arguments]
        self.settings = settings

    def run(self, command, seconds=None, **settings):
        """(whether all answers were right, what was printed)"""
        environment = dict(os.environ, VGPU_RACES="1", VGPU_ABORT="1",
                           **self.settings, **settings)
        return run([command, "check", "--backend", "cuda", *self.arguments],
                   environment, seconds)


class Suites:
    """The Criterion suites of what `tessera check` can't ask: bounds, indices
    and offsets at their ends, strides."""

    def __init__(self, plan, tests, **settings):
        self.tests = tests
        self.settings = dict(settings, TESSERA_TEST_PLAN=plan,
                             TESSERA_QUICK_TESTS="1")

    def run(self, _, seconds=None, **settings):
        """As Play's."""
        environment = dict(os.environ, VGPU_ABORT="1", **self.settings,
                           **settings)
        return run(
            [self.tests, "-j1", "--fail-fast", "--filter",
             "@(api_params|api_rows|row_maxima|cases_misuse|params_check|"
             "output_alone|properties)/!(vocabularies|whatever)*"],
            environment, seconds)


def first_vectors(folder, count):
    """A file of the first few short rows, each asked for 16 steps."""
    lines = (ROOT / "tests/vectors/small.txt").read_text().splitlines()
    path = folder / f"first{count}.txt"
    path.write_text("\n".join(lines[:2 * count]) + "\n")
    return path
