"""cluster.py - barriers of clusters, and shared memory of their blocks

Blocks of a cluster lie along x (runtime/cluster.h).
"""

from errors import Refused


def _need_clusters(k, i):
    if k.target < 90:
        raise Refused(f"{i.opcode} in code for sm_{k.target}")


def barrier(k, i):
    """barrier.cluster, the modifiers after that."""
    _need_clusters(k, i)
    arrives = i.need("arrive", "wait") == "arrive"
    order = i.take("release", "relaxed") if arrives else i.take("acquire")
    i.take("aligned")
    i.end(0)
    if not arrives:
        return f"cluster_wait(t, {k.site()});"
    release = "false" if order == "relaxed" else "true"
    return f"cluster_arrive(t, {release}, {k.site()});"


def map_rank(k, i):
    """mapa of a generic address."""
    _need_clusters(k, i)
    kind = i.type("u64")
    i.end(3)
    address, rank = k.read(i.operands[1], kind), k.read(i.operands[2], "u32")
    return k.write(i.operands[0], kind,
                   f"map_rank(t, {address}, {rank}, {k.site()})")


def grid_dependency(k, i):
    """Launches run one after another, so nothing is left to wait for."""
    _need_clusters(k, i)
    i.need("wait", "launch_dependents")
    i.end(0)
    return ""


INSTRUCTIONS = {"mapa": map_rank, "griddepcontrol": grid_dependency}
