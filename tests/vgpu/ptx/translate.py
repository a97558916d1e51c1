#!/usr/bin/env python3
"""translate.py - PTX to C++ that runs on the harness

    translate.py MODULE.ptx FOLDER

Writes two files a kernel, data.bin (initial values of variables) and
index, which the runtime reads; a line of index is one of

    variable NAME SPACE ALIGN SIZE OFFSET       offset into data.bin; -1: zeros
    kernel NAME                                 what follows is about it:
      code FILE SITES                           C++, and where it comes from
      shared OFFSET SIZE                        a variable in shared memory
      sizes SHARED DYNAMIC LOCAL THREADS CLUSTER
                                                bytes, where dynamic shared
                                                memory begins, bytes, at most,
                                                blocks at most
      parameter OFFSET SIZE
      refused MESSAGE                           then it has no code

A kernel that holds anything not known exactly is refused, with every reason
on stderr; the exit status is then 1, but the other kernels are there.
"""

import os
import sys

from errors import Refused
from kernel import KernelTranslation
from parser import parse


def _kernel_lines(kernel, module, number, folder):
    translation = KernelTranslation(kernel, module)
    refused = translation.translate()
    yield f"kernel {kernel.name}"
    if refused:
        for reason in refused:
            yield f"refused {reason}"
            print(f"{kernel.name}: {reason}", file=sys.stderr)
    else:
        name = f"kernel{number}"
        for suffix, text in ((".cpp", translation.text()),
                             (".sites", translation.sites_text())):
            with open(os.path.join(folder, name + suffix), "w",
                      encoding="utf-8") as file:
                file.write(text)
        yield f"code {name}.cpp {name}.sites"
    for offset, size in translation.shared:
        yield f"shared {offset} {size}"
    yield (f"sizes {translation.shared_bytes} {translation.dynamic_offset()} "
           f"{translation.local_bytes} {kernel.max_threads} "
           f"{kernel.max_cluster}")
    for parameter in kernel.parameters:
        yield f"parameter {parameter.offset} {parameter.size}"


def translate(source, folder):
    with open(source, encoding="utf-8") as file:
        module = parse(file.read())
    lines, data = [], bytearray()
    for v in module.variables:
        offset = len(data) if any(v.data) else -1
        data += v.data if any(v.data) else b""
        lines.append(f"variable {v.name} {v.space} {v.align} {v.size} {offset}")
    for number, kernel in enumerate(module.kernels):
        lines += _kernel_lines(kernel, module, number, folder)
    with open(os.path.join(folder, "data.bin"), "wb") as file:
        file.write(data)
    with open(os.path.join(folder, "index"), "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))
    return any(line.startswith("refused ") for line in lines)


def main():
    if len(sys.argv) != 3:
        print("usage: translate.py MODULE.ptx FOLDER", file=sys.stderr)
        return 2
    try:
        return int(translate(sys.argv[1], sys.argv[2]))
    except Refused as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
