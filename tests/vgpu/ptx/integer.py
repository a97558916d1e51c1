"""integer.py - integer arithmetic"""

from errors import Refused
from kinds import CPP, INTEGERS, SIZE, unsigned_of, wider


def _wrapping(operator):
    """add, sub: computed unsigned, so that overflow wraps."""

    def translate(k, i):
        kind = i.type(*INTEGERS)
        i.end(3)
        u = unsigned_of(kind)
        a, b = k.read(i.operands[1], u), k.read(i.operands[2], u)
        return k.write(i.operands[0], u, f"{a} {operator} {b}")

    return translate


def multiply(k, i):
    """mul and mad: .lo, .hi or .wide."""
    part = i.need("lo", "hi", "wide")
    kind = i.type(*INTEGERS)
    i.end(4 if i.name == "mad" else 3)
    if part == "wide" and SIZE[kind] == 8:
        raise Refused(i.opcode)
    result = wider(kind) if part == "wide" else kind
    a, b = k.read(i.operands[1], kind), k.read(i.operands[2], kind)
    product = f"multiply_{part}<{CPP[kind]}>({a}, {b})"
    u = unsigned_of(result)
    if i.name == "mad":
        product = f"({CPP[u]}){product} + {k.read(i.operands[3], u)}"
    return k.write(i.operands[0], u, product)


def divide(k, i):
    """div and rem of integers."""
    kind = i.type(*INTEGERS)
    i.end(3)
    a, b = k.read(i.operands[1], kind), k.read(i.operands[2], kind)
    function = {"div": "quotient", "rem": "remainder"}[i.name]
    return k.write(i.operands[0], kind,
                   f"{function}<{CPP[kind]}>(t, {a}, {b}, {k.site()})")


def negate(k, i):
    kind = i.type("s16", "s32", "s64")
    i.end(2)
    u = unsigned_of(kind)
    return k.write(i.operands[0], u, f"0 - {k.read(i.operands[1], u)}")


def absolute(k, i):
    kind = i.type("s16", "s32", "s64")
    i.end(2)
    return k.write(i.operands[0], unsigned_of(kind),
                   f"magnitude({k.read(i.operands[1], kind)})")


def extreme(k, i):
    """min and max."""
    kind = i.type(*INTEGERS)
    i.end(3)
    a, b = k.read(i.operands[1], kind), k.read(i.operands[2], kind)
    return k.write(i.operands[0], kind, f"{i.name}imum<{CPP[kind]}>({a}, {b})")


INSTRUCTIONS = {
    "add": _wrapping("+"),
    "sub": _wrapping("-"),
    "mul": multiply,
    "mad": multiply,
    "div": divide,
    "rem": divide,
    "neg": negate,
    "abs": absolute,
    "min": extreme,
    "max": extreme,
}
