"""instruction.py - an instruction while it is translated

Its modifiers are taken from the left, in PTX's order; one that is left over
at the end is refused, so none can change a result unnoticed.
"""

from errors import Refused
from kinds import SIZE


class Instruction:
    def __init__(self, statement):
        self.name, *self.modifiers = statement.name.split(".")
        self.opcode = statement.name
        self.operands = statement.operands
        self.used_bytes = statement.used_bytes
        self.line = statement.line

    def take(self, *choices):
        """The next modifier if it is one of these; else None."""
        if self.modifiers and self.modifiers[0] in choices:
            return self.modifiers.pop(0)
        return None

    def need(self, *choices):
        found = self.take(*choices)
        if found is None:
            raise Refused(f"{self.opcode}: not one of {', '.join(choices)}")
        return found

    def type(self, *choices):
        """The next modifier, a type among these."""
        return self.need(*(choices or SIZE))

    def end(self, *counts):
        """No modifier is left; the operands are as many as one of counts."""
        if self.modifiers:
            raise Refused(f"modifier .{self.modifiers[0]} of {self.opcode}")
        if len(self.operands) not in counts:
            raise Refused(f"{len(self.operands)} operands of {self.opcode}")
