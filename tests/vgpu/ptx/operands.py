"""operands.py - the operands of an instruction"""

from dataclasses import dataclass

from errors import Refused


@dataclass
class Name:
    """A register, a special register, a variable or a label."""

    text: str
    negated: bool = False  # !p
    offset: int = 0  # variable+4


@dataclass
class Integer:
    value: int


@dataclass
class Bits:
    """0f3F800000 or 0d3FF0000000000000."""

    value: int
    size: int


@dataclass
class Address:
    """[base+offset]; base is None for a plain number."""

    base: str
    offset: int


@dataclass
class Vector:
    """{a, b, ...}"""

    parts: list


@dataclass
class Pair:
    """a|b: two destinations."""

    first: object
    second: object


def parse_operand(cursor):
    if cursor.take("["):
        return _address(cursor)
    if cursor.take("{"):
        parts = []
        while not cursor.take("}"):
            parts.append(_simple(cursor))
            if cursor.peek().text != "}":
                cursor.expect(",")
        return Vector(parts)
    first = _simple(cursor)
    if cursor.take("|"):
        return Pair(first, _simple(cursor))
    return first


def _offset(cursor):
    """+4, +-4, -4 or nothing."""
    if cursor.take("+"):
        return cursor.number()
    return cursor.number() if cursor.peek().text == "-" else 0


def _address(cursor):
    base = cursor.next().text if cursor.peek().kind == "word" else None
    offset = _offset(cursor) if base else cursor.number()
    cursor.expect("]")
    return Address(base, offset)


def _simple(cursor):
    token = cursor.peek()
    if cursor.take("!"):
        return Name(cursor.expect("word").text, negated=True)
    if token.kind == "word":
        cursor.next()
        return Name(token.text, offset=_offset(cursor))
    if token.kind == "number" and token.text[:2] in ("0f", "0F"):
        return Bits(int(cursor.next().text[2:], 16), 4)
    if token.kind == "number" and token.text[:2] in ("0d", "0D"):
        return Bits(int(cursor.next().text[2:], 16), 8)
    if token.kind == "number" or token.text == "-":
        return Integer(cursor.number())
    raise Refused(f"{token.text!r} as an operand", token.line)
