"""floating.py - binary32 and binary64 arithmetic, rounded to nearest even

Directed rounding, flushing to zero, saturation and approximations (ex2, lg2,
rcp.approx, ...) are refused: no kernel of the project may use them.
"""

from kinds import CPP, FLOATS


def _arithmetic(operator):
    def translate(k, i):
        i.take("rn")
        kind = i.type(*FLOATS)
        i.end(3)
        a, b = k.read(i.operands[1], kind), k.read(i.operands[2], kind)
        return k.write(i.operands[0], kind, f"{a} {operator} {b}")

    return translate


def divide(k, i):
    i.need("rn")
    kind = i.type(*FLOATS)
    i.end(3)
    a, b = k.read(i.operands[1], kind), k.read(i.operands[2], kind)
    return k.write(i.operands[0], kind, f"{a} / {b}")


def fma(k, i):
    i.need("rn")
    kind = i.type(*FLOATS)
    i.end(4)
    a, b, c = (k.read(o, kind) for o in i.operands[1:])
    return k.write(i.operands[0], kind, f"fused({a}, {b}, {c})")


def reciprocal(k, i):
    i.need("rn")
    kind = i.type(*FLOATS)
    i.end(2)
    return k.write(i.operands[0], kind,
                   f"({CPP[kind]})1 / {k.read(i.operands[1], kind)}")


def sign(k, i):
    """neg and abs: of the bits, so NaN is kept."""
    kind = i.type(*FLOATS)
    i.end(2)
    function = {"neg": "negative", "abs": "magnitude"}[i.name]
    return k.write(i.operands[0], kind,
                   f"{function}({k.read(i.operands[1], kind)})")


def extreme(k, i):
    """min and max: of a NaN and a number the number; -0 is below +0."""
    kind = i.type(*FLOATS)
    i.end(3)
    a, b = k.read(i.operands[1], kind), k.read(i.operands[2], kind)
    return k.write(i.operands[0], kind, f"float_{i.name}({a}, {b})")


INSTRUCTIONS = {
    "add": _arithmetic("+"),
    "sub": _arithmetic("-"),
    "mul": _arithmetic("*"),
    "div": divide,
    "fma": fma,
    "rcp": reciprocal,
    "neg": sign,
    "abs": sign,
    "min": extreme,
    "max": extreme,
}
