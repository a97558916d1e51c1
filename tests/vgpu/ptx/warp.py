"""warp.py - barriers and warp collectives"""

from errors import Refused
from kinds import CPP
from operands import Integer, Pair


def _whole_block(i, operand):
    if not isinstance(operand, Integer) or operand.value != 0:
        raise Refused(f"{i.opcode}: a barrier other than 0")


def barrier(k, i):
    """bar.sync, bar.red and bar.warp.sync; of the whole block only."""
    if i.name == "bar" and i.take("warp"):
        i.need("sync")
        i.end(1)
        mask = k.read(i.operands[0], "b32")
        return f"{_collective(k, 'sync', mask)};"
    i.take("cta")
    if i.take("red"):
        operation = i.need("popc", "and", "or")
        kind = i.type("u32" if operation == "popc" else "pred")
        i.end(3)
        _whole_block(i, i.operands[1])
        value = k.read(i.operands[2], "pred")
        call = f"barrier_{operation}(t, {value}, {k.site()})"
        return k.write(i.operands[0], kind, call)
    i.need("sync")
    i.end(1)
    _whole_block(i, i.operands[0])
    return f"barrier_sync(t, {k.site()});"


def _collective(k, operation, mask, value="0", argument="0", clamp="0"):
    return (f"meet(t, Meeting::{operation}, {mask}, {value}, {argument}, "
            f"{clamp}, {k.site()})")


def shuffle(k, i):
    i.need("sync")
    how = i.need("up", "down", "bfly", "idx")
    i.type("b32")
    i.end(5)
    value, argument, clamp, mask = (k.read(o, "b32") for o in i.operands[1:])
    call = _collective(k, f"shuffle_{how}", mask, value, argument, clamp)
    target = i.operands[0]
    code = f"Met m = {call}; "
    if isinstance(target, Pair):
        return (code + k.write(target.first, "b32", "(uint32_t)m.value") + " "
                + k.write(target.second, "pred", "m.predicate"))
    return code + k.write(target, "b32", "(uint32_t)m.value")


def vote(k, i):
    i.need("sync")
    how = i.need("ballot", "any", "all")
    kind = i.type("b32" if how == "ballot" else "pred")
    i.end(3)
    value, mask = k.read(i.operands[1], "pred"), k.read(i.operands[2], "b32")
    result = "value" if how == "ballot" else "predicate"
    call = _collective(k, how, mask, f"({value})")
    return k.write(i.operands[0], kind, f"{call}.{result}")


def match(k, i):
    how = i.need("any", "all")
    i.need("sync")
    kind = i.type("b32", "b64")
    i.end(3)
    value, mask = k.read(i.operands[1], kind), k.read(i.operands[2], "b32")
    code = f"Met m = {_collective(k, f'match_{how}', mask, value)}; "
    target = i.operands[0]
    if isinstance(target, Pair) and how == "all":
        return (code + k.write(target.first, "b32", "m.value") + " "
                + k.write(target.second, "pred", "m.predicate"))
    return code + k.write(target, "b32", "m.value")


def reduce(k, i):
    i.need("sync")
    operation = i.need("add", "min", "max", "and", "or", "xor")
    kind = i.type(*(("b32",) if operation in ("and", "or", "xor")
                    else ("u32", "s32")))
    i.end(3)
    value, mask = k.read(i.operands[1], kind), k.read(i.operands[2], "b32")
    name = f"reduce_{operation}"
    if kind == "s32" and operation != "add":
        name += "_signed"
    call = _collective(k, name, mask, f"(uint32_t){value}")
    return k.write(i.operands[0], kind, f"({CPP[kind]}){call}.value")


def active_mask(k, i):
    """Lanes run one at a time, so each sees itself alone."""
    i.type("b32")
    i.end(1)
    return k.write(i.operands[0], "b32", "1u << t->lane")


INSTRUCTIONS = {
    "bar": barrier,
    "barrier": barrier,
    "shfl": shuffle,
    "vote": vote,
    "match": match,
    "redux": reduce,
    "activemask": active_mask,
}
