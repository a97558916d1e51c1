"""plugin.py - the PTX inside a library that nvcc built with --no-compress"""

import re
import subprocess


def modules_of(library):
    """(place in the bytes, text) of the PTX of each source, for each
    architecture.  Machine code may have its lines too, each by itself."""
    for found in re.finditer(rb"\.version [\d.]+\n\.target [^\0]*", library):
        yield found.start(), found.group()


def short_name(mangled):
    """A kernel's name without what is the same for all."""
    name = subprocess.run(["c++filt", mangled], capture_output=True, text=True,
                          check=True).stdout.strip()
    name = re.sub(r"\(tessera::view\)0", "processed", name)
    name = re.sub(r"\(tessera::view\)1", "raw", name)
    return re.sub(r"^void |tessera::", "", name).split("(", 1)[0]


def is_of_cub(mangled):
    return "3cub" in mangled[:20] or "3cub6detail" in mangled
