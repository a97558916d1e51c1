"""parser.py - tokens to a module: variables, kernels and their statements"""

from dataclasses import dataclass, field

from errors import Refused
from kinds import SIZE
from locations import Locations
from operands import parse_operand
from tokens import Cursor, tokenize


@dataclass
class Variable:
    space: str  # global, const, shared or local
    name: str
    align: int
    size: int  # bytes; 0 for extern shared memory
    data: bytes = b""  # empty: zeros
    line: int = 0


@dataclass
class Parameter:
    name: str
    offset: int
    size: int


@dataclass
class Statement:
    kind: str  # open, close, label, register, variable, instruction
    line: int
    place: int = 0  # index of its source location
    name: str = ""  # label, register or opcode
    type: str = ""  # of a register
    count: int = 0  # of registers named name0, name1, ...; 0: one, as named
    guard: tuple = ()  # (register, negated) of @p
    operands: list = field(default_factory=list)
    used_bytes: int = 0  # of a vector load, as ptxas is told; 0: all
    variable: Variable = None


@dataclass
class Kernel:
    name: str
    line: int
    parameters: list = field(default_factory=list)
    max_threads: int = 1024
    max_cluster: int = 8
    body: list = field(default_factory=list)


@dataclass
class Module:
    target: int = 0  # of sm_90: 90
    variables: list = field(default_factory=list)
    kernels: list = field(default_factory=list)
    locations: Locations = field(default_factory=Locations)


LINKAGE = (".visible", ".extern", ".weak", ".common")
SPACES = (".global", ".const", ".shared", ".local")


def parse(text):
    cursor, module = Cursor(tokenize(text)), Module()
    while cursor.more():
        _top_level(cursor, module)
    return module


def _top_level(cursor, module):
    external = False
    while cursor.peek().text in LINKAGE:
        external = cursor.next().text == ".extern" or external
    token = cursor.peek()
    if token.text in (".version", ".address_size"):
        cursor.rest_of_line()
    elif token.text == ".target":
        module.target = _target(cursor.rest_of_line())
    elif token.text == ".file":
        module.locations.add_file(cursor.rest_of_line())
    elif token.text == ".section":
        _skip_section(cursor)
    elif token.text == ".entry":
        module.kernels.append(_kernel(cursor, module))
    elif token.text in SPACES:
        module.variables.append(_variable(cursor, external))
    else:
        raise Refused(f"{token.text!r} outside a kernel", token.line)


def _target(tokens):
    name = tokens[1].text if len(tokens) == 2 else ""
    if not name.startswith("sm_") or not name[3:].isdigit():
        raise Refused("this .target", tokens[0].line)
    return int(name[3:])


def _skip_section(cursor):
    while cursor.next().text != "{":
        pass
    while cursor.next().text != "}":
        pass


def _type(cursor):
    token = cursor.expect("directive")
    if token.text[1:] not in SIZE:
        raise Refused(f"type {token.text}", token.line)
    return token.text[1:]


def _variable(cursor, external=False):
    line = cursor.line()
    space = cursor.next().text[1:]
    align = cursor.number() if cursor.take(".align") else 0
    kind = _type(cursor)
    name = cursor.expect("word").text
    count, unsized = 1, False
    while cursor.take("["):
        if cursor.take("]"):
            unsized = True
            continue
        count *= cursor.number()
        cursor.expect("]")
    if unsized and not (external and space == "shared"):
        raise Refused(f"variable {name} has no size", line)
    if external and not unsized:
        raise Refused(f"variable {name} is defined elsewhere", line)
    size = 0 if unsized else count * SIZE[kind]
    data = _initial_value(cursor, kind, size) if cursor.take("=") else b""
    cursor.expect(";")
    return Variable(space, name, align or SIZE[kind], size, data, line)


def _initial_value(cursor, kind, size):
    data = bytearray()
    braces = cursor.take("{")
    while True:
        line, negative = cursor.line(), cursor.take("-")
        text = cursor.expect("number").text
        floating = text[:2] in ("0f", "0F", "0d", "0D")
        value = int(text[2:], 16) if floating else int(text.rstrip("U"), 0)
        if floating and negative:
            raise Refused(f"-{text} as a value", line)
        value = -value if negative else value
        data += (value % (1 << 8 * SIZE[kind])).to_bytes(SIZE[kind], "little")
        if not (braces and cursor.take(",")):
            break
    if braces:
        cursor.expect("}")
    return bytes(data).ljust(size, b"\0")


def _kernel(cursor, module):
    cursor.next()
    token = cursor.expect("word")
    kernel = Kernel(token.text, token.line)
    if cursor.take("("):
        _parameters(cursor, kernel)
    while not cursor.take("{"):
        token = cursor.next()
        if token.text in (".maxntid", ".reqntid"):
            threads = cursor.number()
            while cursor.take(","):
                threads *= cursor.number()
            kernel.max_threads = threads
        elif token.text in (".minnctapersm", ".maxnreg"):
            cursor.number()
        elif token.text == ".maxclusterrank":
            kernel.max_cluster = min(kernel.max_cluster, cursor.number())
        else:
            raise Refused(f"{token.text!r} of a kernel", token.line)
    depth = 1
    body = _Body(module.locations)
    while depth:
        statement = body.next(cursor)
        if statement is None:
            continue
        depth += {"open": 1, "close": -1}.get(statement.kind, 0)
        if depth:
            kernel.body.append(statement)
    return kernel


def _parameters(cursor, kernel):
    offset = 0
    while not cursor.take(")"):
        cursor.expect(".param")
        align = cursor.number() if cursor.take(".align") else 0
        kind = _type(cursor)
        if cursor.take(".ptr"):
            while cursor.peek().kind == "directive":
                if cursor.next().text == ".align":
                    cursor.number()
        name = cursor.expect("word").text
        size = SIZE[kind]
        if cursor.take("["):
            size *= cursor.number()
            cursor.expect("]")
        align = align or SIZE[kind]
        offset = (offset + align - 1) // align * align
        kernel.parameters.append(Parameter(name, offset, size))
        offset += size
        cursor.take(",")


class _Body:
    """Reads the statements of a kernel."""

    def __init__(self, locations):
        self.locations = locations
        self.place = 0
        self.used_bytes = 0

    def next(self, cursor):
        """The next statement; None for one that leaves no code."""
        token = cursor.peek()
        text, line = token.text, token.line
        if text in ("{", "}"):
            cursor.next()
            return Statement("open" if text == "{" else "close", line)
        if text == ".loc":
            self.place = self.locations.add(cursor.rest_of_line())
            return None
        if text == ".pragma":
            self._pragma(cursor)
            return None
        if text == ".reg":
            return self._registers(cursor)
        if text in (".shared", ".local"):
            variable = _variable(cursor)
            return Statement("variable", line, variable=variable)
        if token.kind == "word" and cursor.peek(1).text == ":":
            cursor.next()
            cursor.next()
            return Statement("label", line, name=text)
        if token.kind == "word" or text == "@":
            return self._instruction(cursor)
        if cursor.take(";"):
            return None
        raise Refused(f"{text!r} in a kernel", line)

    def _pragma(self, cursor):
        cursor.next()
        token = cursor.expect("string")
        words = token.text.strip('"').split()
        if words[0] == "used_bytes_mask":
            self.used_bytes = int(words[1], 0)
        elif words[0] != "nounroll":
            raise Refused(f"pragma {token.text}", token.line)
        cursor.expect(";")

    def _registers(self, cursor):
        line = cursor.next().line
        statement = Statement("register", line, type=_type(cursor))
        while True:
            name, count = cursor.expect("word").text, 0
            if cursor.take("<"):
                count = cursor.number()
                cursor.expect(">")
            statement.operands.append((name, count))
            if not cursor.take(","):
                break
        cursor.expect(";")
        return statement

    def _instruction(self, cursor):
        guard = ()
        if cursor.take("@"):
            negated = bool(cursor.take("!"))
            guard = (cursor.expect("word").text, negated)
        token = cursor.expect("word")
        statement = Statement(
            "instruction", token.line, self.place, token.text, guard=guard,
            used_bytes=self.used_bytes,
        )
        self.used_bytes = 0
        while not cursor.take(";"):
            statement.operands.append(parse_operand(cursor))
            if cursor.peek().text != ";":
                cursor.expect(",")
        return statement
