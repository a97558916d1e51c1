"""mutants.py - what can be altered in a C source, one thing at a time"""

import collections
import re
import struct

# line: of the first character altered.  original, mutant: the lines around it,
# as one line each; the latter ends with a number where a file has several that
# read alike.  text: the whole file, altered.
Mutant = collections.namedtuple("Mutant", "file line original mutant text")

# A token; spaced: white space stands on both sides, as clang-format puts it
# around operators of two operands only.  depth: of parentheses.
Token = collections.namedtuple("Token", "kind text start end spaced depth")

TOKEN = re.compile(r"""
    (?P<skip>\s+|\\\n|//[^\n]*|/\*.*?\*/)
  | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>0[xX][\da-fA-F]+(?:\.[\da-fA-F]*)?(?:[pP][-+]?\d+)?[uUlLfF]*
              |\d+(?:\.\d*)?(?:[eE][-+]?\d+)?[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.S | re.X)

# Each operator and what it becomes.  Comparisons move by one and turn round.
BINARY = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="],
          ">=": [">", "<"], "==": ["!="], "!=": ["=="],
          "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"],
          "<<": [">>"], ">>": ["<<"], "&&": ["||"], "||": ["&&"],
          "&": ["|"], "|": ["&"], "^": ["|"],
          "+=": ["-="], "-=": ["+="], "*=": ["/="], "|=": ["&="],
          "++": ["--"], "--": ["++"],
          "?": ["&& 0 ?", "|| 1 ?"]}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
NO_STATEMENT = {"return", "if", "for", "while", "do", "else", "switch", "case",
                "default", "static", "const", "struct", "enum", "typedef"}


def tokens_of(text):
    """The tokens of a C file; of preprocessor lines, only bodies of macros."""
    def blank(match):
        directive = match.group(0)
        kept = re.match(r"#define \w+(?:\([^)]*\))?", directive)
        head = kept.end() if kept else len(directive)
        return re.sub(r"[^\n]", " ", directive[:head]) + directive[head:]

    text = re.sub(r"^#(?:[^\n\\]|\\.)*", blank, text, flags=re.M | re.S)
    tokens = []
    depth = 0
    for match in TOKEN.finditer(text):
        if match.lastgroup != "skip":
            depth += (match.group() == "(") - (match.group() == ")")
            spaced = text[match.start() - 1].isspace() and \
                text[match.end():match.end() + 1].isspace()
            tokens.append(Token(match.lastgroup, match.group(), match.start(),
                                match.end(), spaced, depth))
    return tokens


def next_floats(text):
    """A floating constant's two neighbours of its type, and its negative."""
    single = text[-1] in "fF"
    digits = text.rstrip("fF")
    value = float.fromhex(digits) if "x" in digits else float(digits)
    as_float, as_bits = ("<f", "<I") if single else ("<d", "<Q")
    bits = struct.unpack(as_bits, struct.pack(as_float, value))[0]
    suffix = "f" if single else ""
    for near in (bits + 1, bits - 1) if value else (1,):
        stepped = struct.unpack(as_float, struct.pack(as_bits, near))[0]
        yield stepped.hex() + suffix
    yield "(-" + text + ")"


def next_integers(text):
    suffix = re.search(r"[uUlL]*$", text).group()
    digits = text[:len(text) - len(suffix)]
    value = int(digits, 0)
    form = "{:#x}" if digits[:2] in ("0x", "0X") else "{}"
    yield form.format(value + 1) + suffix
    yield "(-1)" if value == 0 else form.format(value - 1) + suffix


def is_float(text):
    if text[:2] in ("0x", "0X"):
        return "p" in text.lower()
    return bool(re.search(r"[.eE]", text))


def end_of(tokens, start, closer):
    """The index of the first 'closer' at the depth of tokens[start]."""
    depth = 0
    for i in range(start, len(tokens)):
        if depth == 0 and tokens[i].text == closer:
            return i
        depth += (tokens[i].text in "([{") - (tokens[i].text in ")]}")
        if depth < 0:
            break
    return None


def statement_end(tokens, i):
    """The end of a statement that can be left out; None: none starts here."""
    before = tokens[i - 1].text if i else ""
    token = tokens[i]
    if token.depth or before not in {";", "{", "}", ")", "else", "do", ":"}:
        return None
    if token.kind == "name":
        after = tokens[i + 1]
        declares = after.kind == "name" or (after.text == "*"
                                            and not after.spaced)
        if token.text in NO_STATEMENT or declares:
            return None
    elif token.text not in {"*", "++", "--"}:
        return None
    if token.text == "*" and token.spaced:
        return None
    end = end_of(tokens, i, ";")
    if end is None or before == ":" and tokens[i].text != "break":
        return None
    body = "".join(token.text for token in tokens[i:end])
    return end if re.search(r"[=(]|\+\+|--|^(break|continue)$", body) else None


def replacements(tokens, i):
    """What token i can become: (end of what is replaced, new text)."""
    token = tokens[i]
    before = tokens[i - 1].text if i else ""
    unary = token.kind == "operator" and not token.spaced
    if token.kind == "number":
        if is_float(token.text):
            for text in next_floats(token.text):
                # 0 and -0 compare alike; -x is altered at its sign.
                if not (text[0] == "(" and (before in COMPARISONS or
                                            before == "-")):
                    yield token.end, text
        else:
            for text in next_integers(token.text):
                yield token.end, text
    elif token.text in {"++", "--"} or token.text in BINARY and not unary:
        for text in BINARY[token.text]:
            yield token.end, text
    elif token.text in {"!", "-", "~"}:
        yield token.end, ""
    elif token.text in {"true", "false"}:
        yield token.end, "false" if token.text == "true" else "true"
    elif token.text == "return":
        end = end_of(tokens, i, ";")
        value = tokens[i + 1:end]
        if [t.text for t in value] == ["TESSERA_OK"]:
            yield tokens[end].start, "return TESSERA_BAD_ARGUMENT"
        elif any(t.text == "(" for t in value):
            yield tokens[end].start, "return 0"
    elif token.text == "if":
        end = end_of(tokens, i + 2, ")")
        condition = tokens[i + 2:end]
        if not any(t.text in BINARY or t.text == "!" for t in condition):
            yield tokens[i + 1].end, "if (!"
    end = statement_end(tokens, i)
    if end is not None:
        yield tokens[end].start, ""


def one_line(code):
    return " ".join(re.sub(r"/\*.*?\*/", "", code, flags=re.S).split())


def mutants_of(name, text):
    """The mutants of a file of this text, in the order of their places."""
    tokens = tokens_of(text)
    alike = collections.Counter()
    for i, token in enumerate(tokens):
        for end, new in replacements(tokens, i):
            first = text.rfind("\n", 0, token.start) + 1
            last = text.find("\n", end)
            original = one_line(text[first:last])
            mutant = one_line(text[first:token.start] + new + text[end:last])
            alike[original, mutant] += 1
            if alike[original, mutant] > 1:
                mutant += " [%d]" % alike[original, mutant]
            yield Mutant(name, text.count("\n", 0, token.start) + 1, original,
                         mutant, text[:token.start] + new + text[end:])
