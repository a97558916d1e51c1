"""kernel.py - one kernel as a C++ file, and where its instructions stand

The file says nothing of the source, so that kernels which differ in nothing but
their lines, as for two architectures, are compiled once.
"""

import re

import bits
import cluster
import compare
import control
import convert
import floating
import integer
import memory
import warp
from errors import Refused
from instruction import Instruction
from kinds import CPP, FLOATS, REGISTER, SIZE
from operands import Address, Name, Vector
from registers import Registers

_GROUPS = (bits, cluster, compare, control, convert, integer, memory, warp)
_TABLE = {name: translate for group in _GROUPS
          for name, translate in group.INSTRUCTIONS.items()}

# Between shared variables, so that running over the end of one is seen.
_GAP = 16


class KernelTranslation:
    """Use: translate(), then text and the fields."""

    def __init__(self, kernel, module):
        self.kernel = kernel
        self.locations = module.locations
        self.target = module.target
        self.parameters = {p.name: p for p in kernel.parameters}
        self.symbols = {}
        self.registers = Registers(self.symbols, module.target >= 90)
        self.read, self.write = self.registers.read, self.registers.write
        self.shared = []  # (offset, size) of the variables
        self.shared_bytes = 0  # as a GPU would lay them out
        self.dynamic = None  # alignment of extern shared memory
        self.local_bytes = 0
        self.sites, self.site_index = [], {}
        self.statement = None
        self.code = []
        self.read_names = set(names_read(kernel.body))
        self.maps_ranks = any(s.name.startswith("mapa.") for s in kernel.body)
        for index, variable in enumerate(module.variables):
            if variable.space == "shared":
                continue
            self.symbols[variable.name] = f"V[{index}]"
        for parameter in kernel.parameters:
            self.symbols[parameter.name] = f"{parameter.offset}ull"
        self._module_shared(module)

    def _module_shared(self, module):
        names = {name.text for s in self.kernel.body if s.kind == "instruction"
                 for name in _names(s.operands)}
        for variable in module.variables:
            if variable.space == "shared" and variable.name in names:
                self._variable(variable)

    def _variable(self, variable):
        align = variable.align
        if variable.space == "local":
            start = -(-self.local_bytes // align) * align
            self.local_bytes = start + variable.size
            self.symbols[variable.name] = f"((uint64_t)local.bytes + {start})"
        elif variable.size == 0:
            self.dynamic = max(self.dynamic or 16, align, 16)
            self.symbols[variable.name] = "dynamic_shared"
        else:
            end = sum(self.shared[-1]) + _GAP if self.shared else 0
            start = -(-end // align) * align
            self.shared.append((start, variable.size))
            self.shared_bytes = (-(-self.shared_bytes // align) * align
                                 + variable.size)
            self.symbols[variable.name] = f"{start}u"

    # What the instruction groups call, besides read and write.

    def site(self):
        """C++ expression of where the instruction stands in the source."""
        key = (self.statement.place, self.statement.line)
        if key not in self.site_index:
            self.site_index[key] = len(self.sites)
            self.sites.append(key)
        return f"runtime.sites + {self.site_index[key]}"

    def is_read(self, destination):
        """Whether an instruction may use what is written to a register."""
        return destination.text in self.read_names

    @staticmethod
    def label(name):
        return "L" + re.sub(r"\W", "_", name)

    def address(self, address, kind):
        """Value of base + offset; a shared base may be of either size."""
        if address.base is None:
            return f"(({CPP[kind]}){address.offset})"
        found = self.registers.find(address.base)
        if found and SIZE[found[1]] not in (4, 8):
            raise Refused(f"address in {address.base} (.{found[1]})")
        if found and SIZE[found[1]] < SIZE[kind]:
            raise Refused(f"address in {address.base} (.{found[1]})")
        base = found[0] if found else self.symbols.get(address.base)
        if base is None:
            raise Refused(f"address {address.base}")
        return f"({CPP[kind]})({base} + {address.offset})"

    def parameter(self, address, size):
        where = self.address(address, "u64")
        return f"parameter_at<{size}>(t, P, P_bytes, {where}, {self.site()})"

    # Statements.

    def translate(self):
        """Returns what was refused, a message each."""
        refused = []
        for statement in self.kernel.body:
            self.statement = statement
            try:
                self._statement(statement)
            except Refused as error:
                where = self.locations.describe(statement.place)
                refused.append(
                    f"line {statement.line}: {statement.name}: {error.what}"
                    + (f" (from {where[-1]})" if where else ""))
        return refused

    def _statement(self, s):
        if s.kind == "open":
            self.registers.open()
        elif s.kind == "close":
            self.registers.close()
        elif s.kind == "label":
            self.code.append(f"{self.label(s.name)}:;")
        elif s.kind == "register":
            for name, count in s.operands:
                self.registers.declare(name, count, s.type)
        elif s.kind == "variable":
            self._variable(s.variable)
        else:
            self.code.append(self._instruction(s))

    def _instruction(self, s):
        instruction = Instruction(s)
        floats = instruction.modifiers and instruction.modifiers[-1] in FLOATS
        translate = _TABLE.get(instruction.name)
        if instruction.name == "barrier" and instruction.take("cluster"):
            translate = cluster.barrier
        if floats and instruction.name in floating.INSTRUCTIONS:
            translate = floating.INSTRUCTIONS[instruction.name]
        elif instruction.name in ("fma", "rcp"):
            translate = floating.INSTRUCTIONS[instruction.name]
        if not translate:
            raise Refused("an instruction the translator does not know")
        code = translate(self, instruction)
        if not s.guard:
            return f"    {{ {code} }}"
        name, negated = s.guard
        found = self.registers.find(name)
        if not found or found[1] != "pred":
            raise Refused(f"guard {name}")
        return f"    if ({'!' if negated else ''}{found[0]}) {{ {code} }}"

    # The file.

    def dynamic_offset(self):
        """Where dynamic shared memory begins, clear of the variables."""
        end = sum(self.shared[-1]) + _GAP if self.shared else 0
        align = self.dynamic or 16
        return -(-end // align) * align

    def text(self):
        registers = "".join(
            f"    {REGISTER[SIZE[kind]]} {name} = 0;\n"
            for name, kind in self.registers.declared)
        size = max((p.offset + p.size for p in self.kernel.parameters),
                   default=0)
        return f"""#include "device.h"
using namespace vgpu;
static constexpr uint32_t dynamic_shared = {self.dynamic_offset()};
static constexpr uint64_t P_bytes = {size};
extern "C" void vgpu_bind(const Runtime *r)
{{
    runtime = *r;
}}
extern "C" void vgpu_kernel(Thread *t, const unsigned char *P,
                            const uint64_t *V)
{{
    Local<{self.local_bytes}> local;
{registers}
    (void)P, (void)V, (void)dynamic_shared, (void)P_bytes;
{chr(10).join(self.code)}
}}
"""

    def sites_text(self):
        """A line a site: its line in the PTX, and file:line in the source, then
        of what it was inlined into, with tabs between."""
        return "".join(
            "\t".join([str(line), *self.locations.describe(place)]) + "\n"
            for place, line in self.sites)


def _names(operands):
    """Every named thing in a list of operands."""
    for o in operands:
        if isinstance(o, Name):
            yield o
        elif isinstance(o, Address) and o.base:
            yield Name(o.base)


def names_read(body):
    """Names of registers, of whatever scope, that are more than a destination:
    all that stand elsewhere than first, and any that guard."""
    for s in body:
        if s.guard:
            yield s.guard[0]
        first = s.operands[:1] if s.kind == "instruction" else []
        if first and (s.name.startswith("bar") or
                      isinstance(first[0], Address)):
            yield from (name.text for name in _names(first))
        for operand in s.operands[1:] if s.kind == "instruction" else []:
            parts = operand.parts if isinstance(operand, Vector) else [operand]
            yield from (name.text for name in _names(parts))
