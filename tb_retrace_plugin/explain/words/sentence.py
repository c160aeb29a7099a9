"""One plain sentence for a trace and for a change, the same in the terminal, in reports and in the tab."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tb_retrace_plugin.explain.differences.iterators import is_iterator
from tb_retrace_plugin.explain.words.made_by_libraries import as_sentence, named_text
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import is_class, leaf_rows

_DIGITS = frozenset("0123456789-")
_MOST_CLAUSES = 4
#: So many arguments whose shapes change in the same dimension, from and to the same size, are told as one change.
_FEWEST_TOGETHER = 3
_MOST_NAMED = 6
#: As TensorShape is told: `(32, 10)`, `(None,)`, `()`.
_SHAPE = re.compile(r"\(((?:\d+|None)(?:,|(?:, (?:\d+|None))+))\)")
#: How each cause reads between an argument's path and its values.
_VERB = {
    "shape": "changed shape",
    "rank": "changed rank",
    "dtype": "changed dtype",
    "python_value": "is another Python value",
    "python_type": "changed type",
    "structure": "changed structure",
    "object_identity": "is another object",
    "variable_identity": "shares its variables differently",
    "composite_spec": "changed its type specification",
    "capture": "captures another value",
}


def change_text(change: pb.Change) -> str:
    """Short: `x: shape (32, 10) → (7, 10)`."""
    name = change.cause.replace("_", " ")
    values = f" {change.old} → {change.new}" if change.old or change.new else ""
    return f"{change.path}: {name}{values}" if change.path else f"{name}{values}"


def _groups(changes: Sequence[pb.Change]) -> list[list[pb.Change]]:
    """Shapes that change alike, as those of a batch do, together; each other change by itself."""
    alike: dict[_Resized, list[pb.Change]] = {}
    for change in changes:
        if change.cause == "shape" and (resized := _resized(change)):
            alike.setdefault(resized, []).append(change)
    together = [group for group in alike.values() if len(group) >= _FEWEST_TOGETHER]
    grouped = {id(change) for group in together for change in group}
    first = {id(group[0]): group for group in together}
    return [first.get(id(change), [change]) for change in changes if id(change) not in grouped or id(change) in first]


class _Resized(NamedTuple):
    """The one dimension in which a shape is another one."""

    dimension: int
    old: str
    new: str


def _resized(change: pb.Change) -> _Resized | None:
    old, new = _SHAPE.fullmatch(change.old), _SHAPE.fullmatch(change.new)
    if old is None or new is None:
        return None
    sizes = [[size.strip() for size in found[1].split(",") if size.strip()] for found in (old, new)]
    if len(sizes[0]) != len(sizes[1]):
        return None
    differing = [i for i, (one, other) in enumerate(zip(*sizes, strict=True)) if one != other]
    return _Resized(differing[0], sizes[0][differing[0]], sizes[1][differing[0]]) if len(differing) == 1 else None


def _group_clause(group: list[pb.Change]) -> str:
    resized = _resized(group[0]) if len(group) > 1 else None
    if resized is None:
        return _change_clause(group[0])
    named = [f"`{change.path}`" for change in group]
    if len(named) > _MOST_NAMED:
        named[_MOST_NAMED - 1 :] = [f"{len(named) - _MOST_NAMED + 1:,} more"]
    names = f"{', '.join(named[:-1])} and {named[-1]}"
    which = f"dimension {resized.dimension} from {resized.old} to {resized.new}"
    return f"{names} changed shape alike: {which} (`{group[0].path}`: {group[0].old} → {group[0].new})"


def _change_clause(change: pb.Change) -> str:
    values = f": {change.old} → {change.new}" if change.old or change.new else ""
    if change.cause == "recreated_function":
        return "it is a new tf.function object of the same code"
    if change.cause == "variable_creation":
        return "its first call created variables"
    if change.cause == "python_type" and (change.old[:1] in _DIGITS) != (change.new[:1] in _DIGITS):
        old, new = (f"the Python number {v}" if v[:1] in _DIGITS else f"`{v}`" for v in (change.old, change.new))
        return f"`{change.path}` was {old} and is now {new}"
    if change.cause == "unknown":
        return "of a reason that TensorFlow does not show"
    if change.path == "self" and is_class(change.old) and is_class(change.new):
        return f"it is bound to another class{values}"
    if is_iterator(change.old) and is_iterator(change.new):
        return f"`{change.path}` is another Python iterator{values}"
    return f"`{change.path}` {_VERB.get(change.cause, change.cause)}{values}"


_STRATEGY = "in_cross_replica_context"
#: What a field of TensorFlow's EagerContext says to a user, by the field's name.
_CONTEXTS = {
    "parent_graph": "it was called while another `tf.Graph` was being built",
    "variable_policy": "it is being saved in a SavedModel",
    "xla_context_id": "it was called inside an XLA context",
    "device_functions": "the devices that are asked for changed",
    _STRATEGY: "the distribution strategy around it changed",
}


_SAID_IN_FULL = frozenset({"parent_graph", "variable_policy", "in_cross_replica_context"})


def context_text(path: str) -> str:
    """What a field of the context means, for a clause after "because"; "" if that is not known."""
    return _CONTEXTS.get(path, "")


def context_of(paths: Sequence[str]) -> str:
    """The field that tells most of those that changed together: a strategy brings devices along."""
    return _STRATEGY if _STRATEGY in paths else paths[0]


def _context_clause(changes: list[pb.Change]) -> str:
    """All fields of the context in one clause: they are one change to the user."""
    said = dict.fromkeys(_CONTEXTS[c.path] for c in changes if c.path in _CONTEXTS)
    strategy = _CONTEXTS[_STRATEGY]
    if strategy in said:  # it brings devices along
        return strategy
    unknown = ", ".join(f"{c.path}: {c.old} → {c.new}" for c in changes if c.path not in _SAID_IN_FULL)
    return (" and ".join(said) or "the context it is traced in changed") + (f" ({unknown})" if unknown else "")


def trace_sentence(trace: pb.Trace, role: str = "") -> str:
    """Why this trace happened, in one sentence; backticks mark code. `role`: of a function that a library made."""
    name = as_sentence(named_text(trace.function.name, role))
    when = f" at step {trace.step}" if trace.HasField("step") else ""
    failed = ", and the trace failed" if trace.failed else ""
    if trace.kind == "first" and not trace.changes:
        return f"{name} was traced for the first time{when}{failed}."
    if trace.kind == "variable_creation":
        if trace.function.name == "initialize_variables":
            return f"{name} was traced{when} to initialize the variables that a first call created{failed}."
        return f"{name} was traced a second time{when} because its first call created variables{failed}."
    contexts = [change for change in trace.changes if change.cause == "context"]
    others = [change for change in trace.changes if change.cause != "context"]
    groups = _groups(others)
    clauses = [_group_clause(group) for group in groups[:_MOST_CLAUSES]]
    if more := sum(map(len, groups[_MOST_CLAUSES:])):
        clauses.append("1 more thing changed" if more == 1 else f"{more:,} more things changed")
    if contexts:
        clauses.append(_context_clause(contexts))
    if not clauses:
        return f"{name} was traced again{when}; the reason is not known{failed}."
    because = clauses[0] if len(clauses) == 1 else ", ".join(clauses[:-1]) + " and " + clauses[-1]
    compared = f" (compared with trace {trace.closest_n})" if trace.closest_n and len(trace.changes) > 1 else ""
    return f"{name} was traced again{when} because {because}{compared}{failed}.{_generalized_text(trace)}"


def _generalized_text(trace: pb.Trace) -> str:
    """What reduce_retracing made of the shapes that changed."""
    if not trace.generalized or trace.failed:
        return ""
    changed = {change.path for change in trace.changes if change.cause == "shape"}
    try:
        wide = {path: text for path, text in leaf_rows(trace.traced_signature) if path in changed}
    except ValueError:  # nested deeper than any real signature
        wide = {}
    if not wide:
        return " reduce_retracing widened its signature."
    shapes = [f"`{path}` as {text}" for path, text in list(wide.items())[:3]]
    return f" The new trace takes {', '.join(shapes)}: it serves later shapes too."
