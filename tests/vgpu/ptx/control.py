"""control.py - branches and the end of a thread"""

from errors import Refused
from operands import Name


def branch(k, i):
    i.take("uni")
    i.end(1)
    target = i.operands[0]
    if not isinstance(target, Name):
        raise Refused(i.opcode)
    return f"goto {k.label(target.text)};"


def leave(k, i):
    i.take("uni")
    i.end(0)
    return "return;"


def trap(k, i):
    i.end(0)
    return f"runtime.fault(t, {k.site()}, Fault::trap, 0, 0);"


INSTRUCTIONS = {"bra": branch, "ret": leave, "exit": leave, "trap": trap}
