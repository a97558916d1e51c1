#!/usr/bin/env python3
"""refused.py - what the translator must refuse, naming it and its line

Each case is PTX put into a kernel, and words of the message it must give.
Prints as the probes do.
"""

import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "ptx"))

from errors import Refused  # noqa: E402
from kernel import KernelTranslation  # noqa: E402
from parser import parse  # noqa: E402
from translate import translate  # noqa: E402

KERNEL = """.version 9.0
.target sm_90
.address_size 64
.file 1 "place.cu"
.visible .entry probe(.param .u64 probe_param_0)
{
    .reg .pred %p<4>;
    .reg .b16 %h<4>;
    .reg .b32 %r<9>;
    .reg .f32 %f<9>;
    .reg .b64 %d<9>;
    .reg .f64 %g<4>;
    .loc 1 7 1
    ld.param.u64 %d1, [probe_param_0];
    @INSTRUCTION@
    ret;
}
"""
LINE = KERNEL.split("@INSTRUCTION@", maxsplit=1)[0].count("\n") + 1

CASES = [
    ("frobnicate.u32 %r1, %r2;", "frobnicate.u32"),
    ("add.cc.u32 %r1, %r2, %r3;", "add.cc.u32"),
    ("add.sat.s32 %r1, %r2, %r3;", "add.sat.s32"),
    ("add.ftz.f32 %f1, %f2, %f3;", "add.ftz.f32"),
    ("add.rz.f32 %f1, %f2, %f3;", "add.rz.f32"),
    ("fma.rn.sat.f32 %f1, %f2, %f3, %f4;", "fma.rn.sat.f32"),
    ("fma.rn.bf16 %h1, %h2, %h3, %h1;", "fma.rn.bf16"),
    ("div.approx.f32 %f1, %f2, %f3;", "div.approx.f32"),
    ("ex2.approx.f32 %f1, %f2;", "ex2.approx.f32"),
    ("max.NaN.f32 %f1, %f2, %f3;", "max.NaN.f32"),
    ("max.f32 %f1, %f2, %f3, %f4;", "4 operands of max.f32"),
    ("max.relu.s32 %r1, %r2, %r3;", "max.relu.s32"),
    ("cvt.sat.f32.f32 %f1, %f2;", "cvt.sat.f32.f32"),
    ("cvt.rn.f16.f32 %h1, %f1;", "cvt.rn.f16.f32"),
    ("cvt.f32.s32 %f1, %r1;", "cvt.f32.s32"),
    ("cvt.f32.f64 %f1, %g1;", "cvt.f32.f64"),
    ("setp.lt.b32 %p1, %r1, %r2;", "setp.lt.b32"),
    ("bar.sync 1;", "a barrier other than 0"),
    ("bar.sync 0, 64;", "2 operands of bar.sync"),
    ("bar.arrive 0, 64;", "bar.arrive"),
    ("shfl.idx.b32 %r1, %r2, 0, 31;", "shfl.idx.b32"),
    ("vote.sync.uni.pred %p1, %p2, -1;", "vote.sync.uni.pred"),
    ("redux.sync.max.NaN.f32 %f1, %f2, -1;", "redux.sync.max.NaN.f32"),
    ("atom.global.add.f32 %f1, [%d1], %f2;", "atom.global.add.f32"),
    ("red.async.global.add.u32 [%d1], 1;", "red.async.global.add.u32"),
    ("ld.global.L2::cache_hint.u32 %r1, [%d1], %d2;", "L2::cache_hint"),
    ("ld.shared::cluster.u32 %r1, [%r2];", "shared::cluster"),
    ("red.shared::cluster.add.u32 [%r2], 1;", "shared::cluster"),
    ("barrier.cluster.arrive.acquire;", "barrier.cluster.arrive.acquire"),
    ("barrier.cluster.wait.relaxed;", "barrier.cluster.wait.relaxed"),
    ("barrier.cluster.sync;", "barrier.cluster.sync"),
    ("mapa.shared::cluster.u32 %r1, %r2, %r3;", "mapa.shared::cluster.u32"),
    ("mapa.u32 %r1, %r2, %r3;", "mapa.u32"),
    ("getctarank.u64 %r1, %d1;", "getctarank.u64"),
    ("mov.pred %p1, %is_explicit_cluster;", "%is_explicit_cluster"),
    ("mov.u32 %r1, %clusterid.x;", "%clusterid.x"),
    ("griddepcontrol.arrive;", "griddepcontrol.arrive"),
    ("mbarrier.init.shared.b64 [%r1], 1;", "mbarrier.init"),
    ("cp.async.ca.shared.global [%r1], [%d1], 16;", "cp.async"),
    ("call.uni foo;", "call.uni"),
    ("add.u32 %r1, %r2, %f77;", "operand %f77"),
    ("add.u32 %r1, %r2, %d1;", "register %d1 (.b64) as .u32"),
    ("mov.u32 %r1, %clock;", "operand %clock"),
    ("mov.u32 %r1, nowhere;", "operand nowhere"),
    ("@%p9 add.u32 %r1, %r2, 1;", "guard %p9"),
    (".pragma \"something new\";", "something new"),
    ("add.u32 %r1, %r2, ^;", "text not understood"),
    (".branchtargets here;", ".branchtargets"),
]


# In code for sm_75, which has no clusters.
OF_CLUSTERS = [
    ("barrier.cluster.arrive;", "barrier.cluster.arrive in code for sm_75"),
    ("barrier.cluster.wait;", "barrier.cluster.wait in code for sm_75"),
    ("mapa.u64 %d2, %d1, 1;", "mapa.u64 in code for sm_75"),
    ("griddepcontrol.wait;", "griddepcontrol.wait in code for sm_75"),
    ("mov.b32 %r1, %cluster_ctarank;", "operand %cluster_ctarank"),
]

# What mapa in a kernel lets no longer be told apart.
MAPS = "mapa.u64 %d2, %d1, 1; "


def messages(instruction, target="sm_90"):
    """What is refused of a kernel that holds the instruction."""
    text = KERNEL.replace("sm_90", target)
    try:
        module = parse(text.replace("@INSTRUCTION@", instruction))
        return KernelTranslation(module.kernels[0], module).translate()
    except Refused as error:
        return [str(error)]


def must_refuse(instruction, words, target="sm_90"):
    found = messages(instruction, target)
    good = len(found) == 1 and words in found[0] and \
        found[0].startswith(f"line {LINE}: ")
    print("ok" if good else "not ok", f"refused ({target}):", instruction)
    if not good:
        print("#", found)


def main():
    for instruction, words in CASES:
        must_refuse(instruction, words)
    must_refuse(MAPS + "atom.relaxed.cta.add.u32 %r1, [%d2], 1;",
                "an atomic of the block")
    for instruction, words in OF_CLUSTERS:
        must_refuse(instruction, words, "sm_75")

    good = messages("add.u32 %r1, %r2, 1;") == []
    print("ok" if good else "not ok", "a good kernel is not refused")
    for instruction, _ in OF_CLUSTERS:
        good = messages(instruction) == []
        print("ok" if good else "not ok", "not refused (sm_90):", instruction)
    for directive in (".explicitcluster", ".reqnctapercluster 2, 1, 1"):
        good = False
        try:
            parse(KERNEL.replace("{", directive + "\n{", 1))
        except Refused as error:
            good = directive.split()[0] in str(error)
        print("ok" if good else "not ok", "refused:", directive)

    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "module.ptx")
        with open(source, "w", encoding="utf-8") as file:
            file.write(KERNEL.replace("@INSTRUCTION@", "brkpt;"))
        stderr, sys.stderr = sys.stderr, open(os.devnull, "w")
        bad = translate(source, folder)
        sys.stderr.close()
        sys.stderr = stderr
        with open(os.path.join(folder, "index"), encoding="utf-8") as file:
            index = file.read()
        good = bad and "refused line" in index and "place.cu:7" in index \
            and "code " not in index
        print("ok" if good else "not ok", "a refused kernel has no code")
    print("done")


if __name__ == "__main__":
    main()
