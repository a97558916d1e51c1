#!/usr/bin/env python3
"""ruled.py - what tests/vgpu/rules must find in PTX, and what it must not

Prints as the probes do.
"""

import os
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "ptx")]

from parser import parse  # noqa: E402

_LOADER = SourceFileLoader("rules", os.path.join(HERE, "..", "rules"))
rules = module_from_spec(spec_from_loader("rules", _LOADER))
_LOADER.exec_module(rules)

KERNEL = """.version 9.0
.target sm_90
.address_size 64
.visible .entry probe(.param .u64 probe_param_0)
{
    .reg .pred %p<4>;
    .reg .b32 %r<9>;
    .reg .b64 %d<9>;
    @INSTRUCTIONS@
    ret;
}
"""

AGAINST = [
    "atom.global.exch.b32 %r1, [%d1], %r2;",
    "atom.global.cas.b32 %r1, [%d1], %r2, %r3;",
    "atom.global.inc.u32 %r1, [%d1], %r2;",
    "atom.global.add.f32 %r1, [%d1], %r2;",
    "red.global.add.f64 [%d1], %d2;",
    "atom.global.add.u32 %r1, [%d1], 1; st.global.u32 [%d2], %r1;",
    "atom.global.add.u32 %r1, [%d1], 1; setp.eq.u32 %p1, %r1, 5;",
    "atom.global.add.u64 %d2, [%d1], 1; ld.global.u32 %r1, [%d2];",
    "atom.exch.b32 %r1, [%d1], %r2;",
    "atom.acq_rel.gpu.global.cas.b32 %r1, [%d1], %r2, %r3;",
    "ld.volatile.global.u32 %r1, [%d1];",
    "ld.volatile.u32 %r1, [%d1];",
    "st.volatile.global.u32 [%d1], %r1;",
    "ld.acquire.gpu.global.u32 %r1, [%d1];",
    "st.release.gpu.global.u32 [%d1], %r1;",
    "ld.relaxed.gpu.global.u32 %r1, [%d1];",
    "membar.gl;",
    "membar.sys;",
    "fence.acq_rel.gpu;",
    "fence.sc.sys;",
    "nanosleep.u32 100;",
    "mapa.u64 %d2, %d1, 1; atom.exch.b32 %r1, [%d3], %r2;",
    "mapa.u64 %d2, %d1, 1; mov.u64 %d2, %d4; atom.exch.b32 %r1, [%d2], %r2;",
    "mapa.u64 %d2, %d1, 1; selp.b64 %d3, %d2, %d1, %p1; "
    "atom.exch.b32 %r1, [%d3], %r2;",
    "mapa.u64 %d2, %d1, 1; ld.u64 %d3, [%d2]; atom.exch.b32 %r1, [%d3], %r2;",
    "mapa.u64 %d2, %d1, 1; atom.global.exch.b32 %r1, [%d2], %r2;",
    "mapa.u64 %d2, %d1, 1; ld.volatile.u32 %r1, [%d2];",
    "mapa.u64 %d2, %d1, 1; st.release.cluster.u32 [%d2], %r1;",
    "fence.acq_rel.cluster;",
]

ALLOWED = [
    "atom.global.add.u32 %r1, [%d1], 1;",
    "atom.global.max.u64 %d2, [%d1], %d3;",
    "atom.global.or.b32 %r1, [%d1], %r2;",
    "red.global.add.u64 [%d1], %d2;",
    "red.relaxed.gpu.global.min.u32 [%d1], %r2;",
    "atom.shared.add.u32 %r1, [%r2], 1; st.global.u32 [%d2], %r1;",
    "atom.shared.cas.b32 %r1, [%r4], %r2, %r3;",
    "ld.volatile.shared.u32 %r1, [%r2];",
    "ld.global.nc.u32 %r1, [%d1];",
    "membar.cta;",
    "fence.acq_rel.cta;",
    "bar.sync 0;",
    "barrier.cluster.arrive; barrier.cluster.wait;",
    "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire;",
    "mapa.u64 %d2, %d1, %r1; ld.u32 %r2, [%d2+8]; st.u32 [%d2], %r2;",
    "mapa.u64 %d2, %d1, 1; atom.exch.b32 %r1, [%d2+4], %r2;",
    "mapa.u64 %d2, %d1, 1; add.s64 %d3, %d2, %d4; add.s64 %d3, %d3, 4; "
    "atom.add.u32 %r1, [%d3], 1; st.global.u32 [%d5], %r1;",
    "mapa.u64 %d2, %d1, 1; selp.b64 %d3, %d2, %d4, %p1; "
    "mapa.u64 %d4, %d1, 2; mov.u64 %d5, %d3; atom.cas.b32 %r1, [%d5], %r2, %r3;",
]


def found(instructions):
    module = parse(KERNEL.replace("@INSTRUCTIONS@", instructions))
    return list(rules.violations(module))


def main():
    for instructions in AGAINST:
        good = len(found(instructions)) == 1
        print("ok" if good else "not ok", "against the rule:", instructions)
    for instructions in ALLOWED:
        good = not found(instructions)
        print("ok" if good else "not ok", "within the rule:", instructions)
    print("done")


if __name__ == "__main__":
    main()
