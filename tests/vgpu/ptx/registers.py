"""registers.py - operands of a kernel as C++: registers, constants, addresses

A register is an untyped C++ local of its size; an instruction reads and
writes it as its own type.  A size that does not fit is refused, except where
PTX says that an instruction may use a wider register.
"""

import re

from errors import Refused
from kinds import CPP, FLOATS, REGISTER, SIZE
from operands import Bits, Integer, Name

_CLUSTER = ("t->grid->cluster_rank", "t->grid->cluster_size")
_DIMENSIONS = {"%tid": "t->index", "%ntid": "t->grid->block_dim",
               "%ctaid": "t->grid->block", "%nctaid": "t->grid->grid_dim"}
_SPECIAL = {"%laneid": "t->lane", "%warpid": "t->warp",
            "%lanemask_eq": "(1u << t->lane)",
            "%lanemask_lt": "((1u << t->lane) - 1)",
            "%lanemask_le": "((2u << t->lane) - 1)",
            "%lanemask_gt": "~((2u << t->lane) - 1)",
            "%lanemask_ge": "~((1u << t->lane) - 1)",
            "%dynamic_smem_size": "t->grid->dynamic_shared",
            "%cluster_ctarank": _CLUSTER[0], "%cluster_ctaid.x": _CLUSTER[0],
            "%cluster_ctaid.y": "0", "%cluster_ctaid.z": "0",
            "%cluster_nctarank": _CLUSTER[1], "%cluster_nctaid.x": _CLUSTER[1],
            "%cluster_nctaid.y": "1", "%cluster_nctaid.z": "1"}


class Registers:
    def __init__(self, symbols, clusters):
        self.clusters = clusters  # whether there are any
        self.symbols = symbols  # name -> C++ expression of its address
        self.scopes = [{}]  # name, or family + "<" -> type or (C++, type)
        self.declared = []  # (C++ name, type)

    def open(self):
        self.scopes.append({})

    def close(self):
        self.scopes.pop()

    def declare(self, name, count, kind):
        if count:
            self.scopes[-1][name + "<"] = (kind, count)
        else:
            self.scopes[-1][name] = self._new(name, kind)

    def _new(self, name, kind):
        plain = re.sub(r"\W", "_", name)
        new = (f"r{len(self.declared)}{plain}", kind)
        self.declared.append(new)
        return new

    def find(self, name):
        """(C++ name, type) of a register, or None."""
        family = re.fullmatch(r"(.*?)(\d+)", name)
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
            if not family or family[1] + "<" not in scope:
                continue
            kind, count = scope[family[1] + "<"]
            if int(family[2]) < count:
                scope[name] = self._new(name, kind)
                return scope[name]
        return None

    def read(self, operand, kind, narrow=False):
        """Operand as a C++ value of a type; narrow: from a wider register."""
        cpp = CPP[kind]
        if isinstance(operand, Integer):
            if kind == "pred":
                return "true" if operand.value else "false"
            if kind in ("f32", "f64"):
                raise Refused(f"the number {operand.value} as .{kind}")
            return f"(({cpp}){operand.value % 2 ** 64}ull)"
        if isinstance(operand, Bits):
            if operand.size != SIZE[kind]:
                raise Refused(f"a constant of {operand.size} bytes as .{kind}")
            suffix = "ull" if operand.size == 8 else "u"
            return f"as<{cpp}>({operand.value:#x}{suffix})"
        if not isinstance(operand, Name):
            raise Refused("an operand of this form here")
        found = self.find(operand.text)
        if found:
            return self._value(operand, found, kind, narrow)
        if operand.negated:
            raise Refused(f"operand !{operand.text}")
        special = self._special(operand.text)
        if special and kind in ("u32", "b32", "s32") and not operand.offset:
            return f"(({cpp}){special})"
        if operand.text in self.symbols and SIZE[kind] >= 4:
            return f"(({cpp})({self.symbols[operand.text]} + {operand.offset}))"
        raise Refused(f"operand {operand.text} as .{kind}")

    def _special(self, name):
        if name.startswith("%cluster") and not self.clusters:
            return None
        base, _, axis = name.partition(".")
        if base in _DIMENSIONS and axis in ("x", "y", "z"):
            return f"{_DIMENSIONS[base]}.{axis}"
        return _SPECIAL.get(name)

    @staticmethod
    def _value(operand, found, kind, narrow):
        register, of = found
        if operand.offset:
            raise Refused(f"operand {operand.text}+{operand.offset}")
        if (of == "pred") != (kind == "pred"):
            raise Refused(f"register {operand.text} (.{of}) as .{kind}")
        if of == "pred":
            return f"!{register}" if operand.negated else register
        if operand.negated:
            raise Refused(f"operand !{operand.text}")
        if SIZE[of] == SIZE[kind]:
            if CPP[kind] == REGISTER[SIZE[of]]:
                return register
            return f"as<{CPP[kind]}>({register})"
        if narrow and SIZE[of] > SIZE[kind]:
            return f"as<{CPP[kind]}>(({REGISTER[SIZE[kind]]}){register})"
        raise Refused(f"register {operand.text} (.{of}) as .{kind}")

    def write(self, operand, kind, value, widen=False):
        """C++ statement that sets a register to a value of a type; widen: a
        wider register is filled by the type's sign."""
        if not isinstance(operand, Name) or operand.negated or operand.offset:
            raise Refused("a destination of this form")
        if operand.text == "_":
            return f"(void)({value});"
        found = self.find(operand.text)
        if not found:
            raise Refused(f"destination {operand.text}")
        register, of = found
        if (of == "pred") != (kind == "pred"):
            raise Refused(f"register {operand.text} (.{of}) set as .{kind}")
        if of == "pred":
            return f"{register} = {value};"
        if SIZE[of] == SIZE[kind]:
            if kind in FLOATS:
                value = f"as<{REGISTER[SIZE[of]]}>(({CPP[kind]})({value}))"
            return f"{register} = {value};"
        if widen and SIZE[of] > SIZE[kind]:
            return f"{register} = ({REGISTER[SIZE[of]]})({CPP[kind]})({value});"
        raise Refused(f"register {operand.text} (.{of}) set as .{kind}")
