"""memory.py - ld, st, atom, red and fences

Every access is checked: alignment, bounds, and for a load of shared memory
that somebody wrote what it reads.  Each says what it is to others of the same
bytes, for races to be found (Access in runtime/device.h).
"""

from errors import Refused
from kinds import BITS, CPP, FLOATS, INTEGERS, SIZE
from operands import Address, Vector

# One thread runs at a time, so caches and orders of memory mean nothing here.
_SCOPES = ("cta", "cluster", "gpu", "sys")
_CACHE = ("ca", "cg", "cs", "lu", "cv", "wb", "wt")
_LEVEL_1 = tuple("L1::" + w for w in (
    "evict_normal", "evict_unchanged", "evict_first", "evict_last",
    "no_allocate"))
_LEVEL_2 = tuple("L2::" + w for w in ("64B", "128B", "256B"))
_TYPES = ("b8", "u8", "s8", *INTEGERS, *BITS, *FLOATS)

_ATOMIC = {
    "add": ("a + b", ("u32", "s32", "u64")),
    "min": ("a < b ? a : b", ("u32", "s32", "u64", "s64")),
    "max": ("a > b ? a : b", ("u32", "s32", "u64", "s64")),
    "and": ("a & b", ("b32", "b64")),
    "or": ("a | b", ("b32", "b64")),
    "xor": ("a ^ b", ("b32", "b64")),
    "exch": ("b", ("b32", "b64")),
    "cas": ("a == b ? c : a", ("b16", "b32", "b64")),
    "inc": ("a >= b ? 0 : a + 1", ("u32",)),
}

# Those that give the same result in any order, among their own kind.
_COMMUTATIVE = ("add", "min", "max", "and", "or", "xor")


def _order(i):
    """Returns the scope, if there is one."""
    if i.take("relaxed", "acquire", "release", "acq_rel"):
        return i.need(*_SCOPES)
    if not i.take("volatile"):
        i.take("weak")
    return None


def _space(i, *choices):
    found = i.take(*choices)
    return "shared" if found == "shared::cta" else found or "generic"


def _vector(i):
    return int((i.take("v2", "v4") or "v1")[1])


def _parts(i, operand, count):
    parts = operand.parts if isinstance(operand, Vector) else [operand]
    if len(parts) != count or (count > 1) != isinstance(operand, Vector):
        raise Refused(f"{i.opcode} of {len(parts)} registers")
    return parts


def load(k, i):
    _order(i)
    space = _space(i, "global", "shared", "shared::cta", "local", "const",
                   "param")
    constant = space == "global" and i.take("nc")
    i.take(*_CACHE)
    i.take(*_LEVEL_1)
    i.take(*_LEVEL_2)
    count = _vector(i)
    kind = i.type(*_TYPES)
    i.end(2)
    parts = _parts(i, i.operands[0], count)
    size = SIZE[kind]
    used = i.used_bytes or (1 << size * count) - 1
    access = "Access::constant_load" if constant else "Access::load"
    at = _place(k, i.operands[1], space, size * count, access, used)
    return f"const unsigned char *p = {at}; " + " ".join(
        k.write(part, kind, f"fetch<{CPP[kind]}>(p + {n * size})", widen=True)
        for n, part in enumerate(parts))


def store(k, i):
    _order(i)
    space = _space(i, "global", "shared", "shared::cta", "local")
    i.take(*_CACHE)
    i.take(*_LEVEL_1)
    count = _vector(i)
    kind = i.type(*_TYPES)
    i.end(2)
    parts = _parts(i, i.operands[1], count)
    size = SIZE[kind]
    at = _place(k, i.operands[0], space, size * count, "Access::store")
    return f"unsigned char *p = {at}; " + " ".join(
        f"put<{CPP[kind]}>(p + {n * size}, {k.read(part, kind, narrow=True)});"
        for n, part in enumerate(parts))


def _place(k, address, space, size, access, used=None):
    """C++ pointer to checked memory; used: the bytes that matter, or all."""
    if not isinstance(address, Address):
        raise Refused("an address of this form")
    if space == "param":
        return k.parameter(address, size)
    value = k.address(address, "u32" if space == "shared" else "u64")
    site = k.site()
    if space == "local":
        return f"local_at<{size}>(t, local, {value}, {site})"
    how = access + (f", {used:#x}" if used is not None else "")
    if space in ("global", "const"):
        return f"global_at<{size}>(t, {value}, {site}, {how})"
    local = ", local" if space == "generic" else ""
    if space == "generic" and k.maps_ranks:
        space = "cluster"
    if access == "Access::store":
        return f"{space}_store_at<{size}>(t{local}, {value}, {site})"
    return f"{space}_load_at<{size}>(t{local}, {value}, {site}, {how})"


def _atomic_access(k, i, operation, kind):
    """What it is to others: commutative if its old value is of no use."""
    used = i.name == "atom" and k.is_read(i.operands[0])
    if used or operation not in _COMMUTATIVE:
        return "Access::atomic"
    number = _COMMUTATIVE.index(operation) * len(SIZE) + list(SIZE).index(kind)
    return f"Access(int(Access::commutative) + {number})"


def atomic(k, i):
    """atom, which gives the old value, and red, which does not."""
    scope = _order(i) or i.take(*_SCOPES)
    space = _space(i, "global", "shared", "shared::cta")
    if scope == "cta" and space == "generic" and k.maps_ranks:
        raise Refused("an atomic of the block, perhaps on another's memory")
    operation = i.need(*_ATOMIC)
    expression, kinds = _ATOMIC[operation]
    kind = i.type(*kinds)
    gives = i.name == "atom"
    i.end(2 + gives + (operation == "cas"))
    operands = i.operands[1:] if gives else i.operands
    size, cpp = SIZE[kind], CPP[kind]
    access = _atomic_access(k, i, operation, kind)
    at = _place(k, operands[0], space, size, access)
    values = "".join(f"{cpp} {n} = {k.read(o, kind)}; "
                     for n, o in zip("bc", operands[1:]))
    code = (f"unsigned char *p = {at}; {cpp} a = fetch<{cpp}>(p); {values}"
            f"put<{cpp}>(p, ({cpp})({expression}));")
    return code + (" " + k.write(i.operands[0], kind, "a") if gives else "")


def fence(k, i):
    if i.name == "membar":
        i.need("cta", "gl", "sys")
    else:
        i.need("sc", "acq_rel")
        i.need(*_SCOPES)
    i.end(0)
    return ""


INSTRUCTIONS = {"ld": load, "st": store, "atom": atomic, "red": atomic,
                "membar": fence, "fence": fence}
