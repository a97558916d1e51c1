"""bits.py - logic, shifts and bit fields"""

from errors import Refused
from kinds import BITS, CPP
from operands import Integer

_LOGICAL = {"and": "&&", "or": "||", "xor": "!="}
_BITWISE = {"and": "&", "or": "|", "xor": "^"}


def logic(k, i):
    kind = i.type("pred", *BITS)
    i.end(3)
    a, b = k.read(i.operands[1], kind), k.read(i.operands[2], kind)
    operator = (_LOGICAL if kind == "pred" else _BITWISE)[i.name]
    return k.write(i.operands[0], kind, f"{a} {operator} {b}")


def invert(k, i):
    kind = i.type("pred", *BITS)
    i.end(2)
    operator = "!" if kind == "pred" else "~"
    return k.write(i.operands[0], kind,
                   f"{operator}({k.read(i.operands[1], kind)})")


def shift_left(k, i):
    kind = i.type(*BITS)
    i.end(3)
    a, n = k.read(i.operands[1], kind), k.read(i.operands[2], "u32")
    return k.write(i.operands[0], kind, f"shift_left<{CPP[kind]}>({a}, {n})")


def shift_right(k, i):
    kind = i.type("u16", "s16", "u32", "s32", "u64", "s64", *BITS)
    i.end(3)
    a, n = k.read(i.operands[1], kind), k.read(i.operands[2], "u32")
    return k.write(i.operands[0], kind, f"shift_right<{CPP[kind]}>({a}, {n})")


def funnel_shift(k, i):
    direction, mode = i.need("l", "r"), i.need("wrap", "clamp")
    i.type("b32")
    i.end(4)
    a, b, n = (k.read(o, "u32") for o in i.operands[1:])
    return k.write(i.operands[0], "u32",
                   f"funnel_{direction}({a}, {b}, {mode}_shift({n}))")


def lop3(k, i):
    i.type("b32")
    i.end(5)
    a, b, c = (k.read(o, "u32") for o in i.operands[1:4])
    table = i.operands[4]
    if not isinstance(table, Integer) or not 0 <= table.value <= 255:
        raise Refused("lop3 without a table")
    return k.write(i.operands[0], "u32", f"lop3({a}, {b}, {c}, {table.value})")


def permute(k, i):
    i.type("b32")
    i.end(4)
    a, b, selector = (k.read(o, "u32") for o in i.operands[1:])
    return k.write(i.operands[0], "u32", f"permute({a}, {b}, {selector})")


def count(k, i):
    """popc, clz: a 32-bit count of the bits of an operand."""
    kind = i.type("b32", "b64")
    i.end(2)
    function = {"popc": "population", "clz": "leading_zeros"}[i.name]
    return k.write(i.operands[0], "u32",
                   f"{function}({k.read(i.operands[1], kind)})")


def reverse(k, i):
    kind = i.type("b32", "b64")
    i.end(2)
    return k.write(i.operands[0], kind,
                   f"reverse_bits({k.read(i.operands[1], kind)})")


def find_leading(k, i):
    shift = "true" if i.take("shiftamt") else "false"
    kind = i.type("u32", "u64")
    i.end(2)
    return k.write(i.operands[0], "u32",
                   f"find_leading({k.read(i.operands[1], kind)}, {shift})")


def extract_field(k, i):
    kind = i.type("u32", "u64")
    i.end(4)
    a = k.read(i.operands[1], kind)
    begin, length = (k.read(o, "u32") for o in i.operands[2:])
    return k.write(i.operands[0], kind,
                   f"extract_field({a}, {begin}, {length})")


def insert_field(k, i):
    kind = i.type("b32", "b64")
    i.end(5)
    a, b = k.read(i.operands[1], kind), k.read(i.operands[2], kind)
    begin, length = (k.read(o, "u32") for o in i.operands[3:])
    return k.write(i.operands[0], kind,
                   f"insert_field({a}, {b}, {begin}, {length})")


def mask(k, i):
    i.need("clamp")
    i.type("b32")
    i.end(3)
    begin, length = (k.read(o, "u32") for o in i.operands[1:])
    return k.write(i.operands[0], "u32", f"field_mask({begin}, {length})")


INSTRUCTIONS = {
    "and": logic,
    "or": logic,
    "xor": logic,
    "not": invert,
    "shl": shift_left,
    "shr": shift_right,
    "shf": funnel_shift,
    "lop3": lop3,
    "prmt": permute,
    "popc": count,
    "clz": count,
    "brev": reverse,
    "bfind": find_leading,
    "bfe": extract_field,
    "bfi": insert_field,
    "bmsk": mask,
}
