"""convert.py - mov, cvt and cvta"""

from errors import Refused
from kinds import BITS, CPP, FLOATS, INTEGERS, SIZE
from operands import Vector

_TO_INTEGRAL = {"rni": "nearest", "rzi": "toward_zero", "rmi": "down",
                "rpi": "up"}


def move(k, i):
    kind = i.type("pred", *INTEGERS, *BITS, *FLOATS)
    i.end(2)
    target, source = i.operands
    if isinstance(source, Vector):
        return k.write(target, kind, _packed(k, kind, source.parts))
    if isinstance(target, Vector):
        return _unpacked(k, kind, target.parts, source)
    return k.write(target, kind, k.read(source, kind))


def _packed(k, kind, parts):
    size = SIZE[kind] // len(parts)
    if kind not in BITS or size * len(parts) != SIZE[kind] or size < 2:
        raise Refused(f"mov.{kind} of {len(parts)} parts")
    cpp = CPP[kind]
    return " | ".join(f"({cpp}){k.read(p, f'b{8 * size}')} << {8 * size * n}"
                      for n, p in enumerate(parts))


def _unpacked(k, kind, parts, source):
    size = SIZE[kind] // len(parts)
    if kind not in BITS or size * len(parts) != SIZE[kind] or size < 2:
        raise Refused(f"mov.{kind} to {len(parts)} parts")
    part = f"b{8 * size}"
    code = f"{CPP[kind]} w = {k.read(source, kind)}; "
    return code + " ".join(
        k.write(p, part, f"({CPP[part]})(w >> {8 * size * n})")
        for n, p in enumerate(parts))


def convert(k, i):
    """Between integers, between floats, and from one to the other.  A float
    becomes an integer saturated, NaN 0."""
    rounding = i.take("rn", *_TO_INTEGRAL)
    to = i.type("f32", "f64", "u8", "s8", *INTEGERS)
    of = i.need("f32", "f64", "f16", "bf16", "u8", "s8", *INTEGERS)
    i.end(2)
    target, source = i.operands
    if of in ("f16", "bf16"):
        if to != "f32" or rounding:
            raise Refused(i.opcode)
        return k.write(target, "f32", f"from_{of}({k.read(source, 'b16')})")

    value = k.read(source, of, narrow=of not in FLOATS)
    to_float, from_float = to in FLOATS, of in FLOATS
    integral = _TO_INTEGRAL.get(rounding)
    if from_float and not to_float:
        if not integral:
            raise Refused(i.opcode)
        value = f"to_integer<{CPP[to]}>({integral}({value}))"
    elif from_float and integral:
        if to != of:
            raise Refused(i.opcode)
        value = f"{integral}({value})"
    elif to_float and (rounding == "rn") != ((to, of) != ("f64", "f32")):
        raise Refused(i.opcode)
    elif not to_float and rounding:
        raise Refused(i.opcode)
    return k.write(target, to, f"({CPP[to]})({value})", widen=not to_float)


def convert_address(k, i):
    """Generic addresses are those of global memory; shared memory has a
    window of its own among them."""
    to = i.take("to")
    space = i.need("global", "const", "shared", "local")
    kind = i.type("u64")
    i.end(2)
    value = k.read(i.operands[1], kind)
    if space == "shared":
        value += " - shared_window" if to else " + shared_window"
    return k.write(i.operands[0], kind, value)


INSTRUCTIONS = {"mov": move, "cvt": convert, "cvta": convert_address}
