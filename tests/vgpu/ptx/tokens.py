"""tokens.py - PTX text to tokens, each with its line

Every character of the text belongs to a token, to white space or to a
comment; any other is refused.
"""

import re
from collections import namedtuple

from errors import Refused

# kind: word, directive, number, string, or the punctuation itself.
Token = namedtuple("Token", "kind text line")

_PATTERN = re.compile(
    r"""
    (?P<space>   [ \t\r\f]+ | //[^\n]* )
  | (?P<newline> \n )
  | (?P<comment> /\*.*?\*/ )
  | (?P<string>  "[^"\n]*" )
  | (?P<number>  0[fF][0-9a-fA-F]{8}\b | 0[dD][0-9a-fA-F]{16}\b
               | 0[xX][0-9a-fA-F]+U?\b | [0-9]+\.[0-9]+\b | [0-9]+U?\b )
  | (?P<directive> \.[A-Za-z_]\w* )
  | (?P<word>    [A-Za-z_$%][\w$]*(?:(?:\.|::)\w+)* )
  | (?P<punctuation> [{}()\[\]<>,;:=|!@+\-] )
    """,
    re.VERBOSE | re.DOTALL,
)


def tokenize(text):
    tokens, line, at = [], 1, 0
    while at < len(text):
        match = _PATTERN.match(text, at)
        if not match:
            raise Refused(f"text not understood: {text[at:at + 20]!r}", line)
        kind, found = match.lastgroup, match.group()
        at = match.end()
        if kind == "newline":
            line += 1
        elif kind == "comment":
            line += found.count("\n")
        elif kind != "space":
            name = found if kind == "punctuation" else kind
            tokens.append(Token(name, found, line))
    return tokens


class Cursor:
    """Reads tokens one after another."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0

    def more(self):
        return self.at < len(self.tokens)

    def peek(self, ahead=0):
        index = self.at + ahead
        if index < len(self.tokens):
            return self.tokens[index]
        return Token("end", "end of text", self.line())

    def line(self):
        return self.tokens[min(self.at, len(self.tokens) - 1)].line

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def take(self, text):
        """The next token if it is text; else None."""
        return self.next() if self.peek().text == text else None

    def expect(self, *wanted):
        """The next token, which must be one of these texts or kinds."""
        token = self.next()
        if token.text not in wanted and token.kind not in wanted:
            raise Refused(
                f"{token.text!r} where {' or '.join(wanted)} should be",
                token.line,
            )
        return token

    def number(self):
        sign = -1 if self.take("-") else 1
        token = self.expect("number")
        if token.text[:2] in ("0f", "0F", "0d", "0D"):
            raise Refused(f"{token.text!r} where an integer should be",
                          token.line)
        return sign * int(token.text.rstrip("U"), 0)

    def rest_of_line(self):
        """The tokens up to the end of this token's line."""
        line, first = self.line(), self.at
        while self.more() and self.peek().line == line:
            self.at += 1
        return self.tokens[first:self.at]
