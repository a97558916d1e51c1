"""compare.py - setp and selp"""

from errors import Refused
from kinds import BITS, FLOATS, INTEGERS
from operands import Pair

_SIMPLE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
           "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
_UNORDERED = ("equ", "neu", "ltu", "leu", "gtu", "geu")
_COMBINE = {"and": "&&", "or": "||", "xor": "!="}


def _test(comparison, kind, a, b):
    if kind not in FLOATS:
        if comparison not in _SIMPLE:
            raise Refused(f"setp.{comparison}.{kind}")
        return f"{a} {_SIMPLE[comparison]} {b}"
    if comparison == "nan":
        return f"unordered({a}, {b})"
    if comparison == "num":
        return f"!unordered({a}, {b})"
    if comparison in _UNORDERED:
        return f"unordered({a}, {b}) || {a} {_SIMPLE[comparison[:-1]]} {b}"
    if comparison == "ne":
        return f"!unordered({a}, {b}) && {a} != {b}"
    if comparison in ("lo", "ls", "hi", "hs"):
        raise Refused(f"setp.{comparison}.{kind}")
    return f"{a} {_SIMPLE[comparison]} {b}"


def set_predicate(k, i):
    """The second destination gets the complement of the comparison, combined
    with the third operand like the first."""
    comparison = i.need(*_SIMPLE, *_UNORDERED, "num", "nan")
    combine = i.take(*_COMBINE)
    kind = i.type(*INTEGERS, *BITS, *FLOATS)
    i.end(4 if combine else 3)
    if kind in BITS and comparison not in ("eq", "ne"):
        raise Refused(i.opcode)
    a, b = k.read(i.operands[1], kind), k.read(i.operands[2], kind)
    code = f"bool c = {_test(comparison, kind, a, b)}; "
    first, second = "c", "!c"
    if combine:
        other = k.read(i.operands[3], "pred")
        code += f"bool d = {other}; "
        first, second = f"c {_COMBINE[combine]} d", f"!c {_COMBINE[combine]} d"
    target = i.operands[0]
    if isinstance(target, Pair):
        return (code + k.write(target.first, "pred", first)
                + " " + k.write(target.second, "pred", second))
    return code + k.write(target, "pred", first)


def select(k, i):
    kind = i.type(*INTEGERS, *BITS, *FLOATS)
    i.end(4)
    a, b = k.read(i.operands[1], kind), k.read(i.operands[2], kind)
    return k.write(i.operands[0], kind,
                   f"{k.read(i.operands[3], 'pred')} ? {a} : {b}")


INSTRUCTIONS = {"setp": set_predicate, "selp": select}
