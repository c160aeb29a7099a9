"""In how much two signatures differ: of several earlier ones, the one that differs in least is the closest."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.diff import diff_nodes
from tb_retrace_plugin.schema.signature import CONTAINERS, Node, Signature, iter_leaves

#: Causes that may be a container's.
_OF_CONTAINERS = frozenset({"structure", "python_type", "composite_spec"})
#: Parts of a composite that is of another class, or of which it is not known which differ.
_AS_A_WHOLE = 4


def rank(changes: Sequence[Change], cached: Signature, wanted: Signature) -> tuple[int, int]:
    """How many leaves differ; and in how much, beyond one thing each."""
    weights = [_weight(change) for change in changes]
    for change in changes:
        if change.cause == "structure":  # what holds nothing, or is not there, is no container's like
            old, new = node_at(cached, change.path), node_at(wanted, change.path)
            weights.append(old is None or new is None or holds_leaves(old) != holds_leaves(new))
    return _differing_leaves(changes, cached, wanted), sum(weights) - len({change.path for change in changes})


def differs_in_least(changes: Sequence[Change]) -> bool:
    """Whether no other of the same structure, with as many differing leaves, can differ in less."""
    if len(changes) == 1:  # nearly always
        return _weight(changes[0]) == 1
    return sum(map(_weight, changes)) == len({change.path for change in changes})


def _weight(change: Change) -> int:
    """A leaf may differ in dtype and shape, a composite in several parts, or as a whole. None is no tensor's like; and
    which variables share may be one change less, against another."""
    if change.cause == "composite_spec":
        return len(change.parts) or _AS_A_WHOLE
    return 2 if change.cause in ("python_type", "variable_identity") else 1


def _differing_leaves(changes: Sequence[Change], cached: Signature, wanted: Signature) -> int:
    """How many leaves the changes are of: one of a container's structure is of all in it that do not fit.

    A container of another kind, a list for a tuple, is one more.
    """
    containers = {change.path for change in changes if change.cause in _OF_CONTAINERS}
    differing = {change.path for change in changes if change.path not in containers}
    if not containers:
        return len(differing)
    leaves: tuple[dict[str, Node], dict[str, Node]] | None = None
    count = 0
    for path in containers:
        before, now = node_at(cached, path), node_at(wanted, path)
        if not any(node is not None and holds_leaves(node) for node in (before, now)) and (before or now):
            differing.add(path)  # it is a leaf itself, or is not there
            continue
        old, new = leaves = leaves or (_leaves(cached), _leaves(wanted))
        of_old = [p for p in old if is_within(p, path) and (p not in new or diff_nodes(old[p], new[p], p))]
        of_new = [p for p in new if is_within(p, path) and (p not in old or diff_nodes(old[p], new[p], p))]
        differing.update(of_new if len(of_new) > len(of_old) else of_old)
        if not (of_old or of_new) or _are_of_other_kinds(before, now):
            count += 1
    return count + len(differing)


def _are_of_other_kinds(old: Node | None, new: Node | None) -> bool:
    """Whether another kind of container holds the leaves."""
    if old is None or new is None or not (holds_leaves(old) and holds_leaves(new)):
        return False
    return (old.kind, old.type_name, old.identity) != (new.kind, new.type_name, new.identity)


def holds_leaves(node: Node) -> bool:
    """As `iter_leaves` has it."""
    return bool(node.children) and node.kind in CONTAINERS and not (node.kind == "composite" and node.value)


def node_at(signature: Signature, path: str) -> Node | None:
    """The argument, or part of one, at `path`."""
    pending = list(signature.arguments)
    while pending:
        at, node = pending.pop()
        if at == path:
            return node
        if node.children and is_within(path, at):
            pending += [(at + key, child) for key, child in node.children]
    return None


def _leaves(signature: Signature) -> dict[str, Node]:
    return {path: leaf for start, node in signature.arguments for path, leaf in iter_leaves(start, node)}


def is_within(path: str, container: str) -> bool:
    return path == container or path.startswith((f"{container}[", f"{container}."))
