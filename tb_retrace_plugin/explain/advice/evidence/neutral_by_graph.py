"""Which value is neutral for a tensor, by what the graphs of the calls that pass it do with it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.schema.signature import Node, Signature

_ADD = frozenset({"Add", "AddV2", "AddN", "BiasAdd", "Sub"})
_MULTIPLY = frozenset({"Mul"})
#: Of operations that pass it to another graph.
_CALLS = re.compile(r"Call|If$|While$|Case$|Map|Scan")
#: Of what is passed it takes none, or several.
_NOT_COUNTED = frozenset({"composite", "custom_nest", "custom", "unknown", "attrs"})

ZEROS, ONES, NONE = "zeros", "ones", "none"
#: What else there may be of an addition, or a multiplication, where there is none without it.
_BRING = frozenset({"Cast", "ExpandDims", "Reshape", "Squeeze", "BroadcastTo", "StridedSlice", "Shape"})
_MOST_TOLD = 3


def neutral_by_graph(function: FunctionFacts, path: str) -> str:
    """ZEROS: it is added and no more. ONES: it is a factor, if not that alone. NONE: neither. "": that is not known."""
    return str(function.graphs.once(("neutral", path), lambda: _found(function, path)))


def taken_by_graph(function: FunctionFacts, place: int, path: str) -> frozenset[str]:
    """The operations that take the tensor at `path` in the graph of a trace, as far as that is known."""
    number = _number_of(function.traces[place].lookup.signature, path)
    return (function.graphs.taken_by(place, number) if number is not None else None) or frozenset()


def _found(function: FunctionFacts, path: str) -> str:
    for place, trace in enumerate(function.traces):
        if trace.lookup.failed or node_of(trace, path) is None:
            continue
        number = _number_of(trace.lookup.signature, path)
        taken = None if number is None else function.graphs.taken_by(place, number)
        if not taken or any(map(_CALLS.search, taken)):  # or it is not used at all
            return ""
        return ZEROS if taken <= _ADD else ONES if taken & _MULTIPLY else NONE if not taken & _ADD else ""
    return ""


def what_else_differs(function: FunctionFacts, path: str) -> str:
    """In what else graphs of calls that have it differ from those that lack it alone, such as "`Square`"; "" if in
    nothing, or that is not known."""
    return str(function.graphs.once(("beside neutral", path), lambda: _what_else(function, path)))


def _what_else(function: FunctionFacts, path: str) -> str:
    for place, trace in enumerate(function.traces):
        if trace.closest is None or len(trace.changes) != 1 or trace.lookup.failed:
            continue
        has, had = (node_of(one, path) is not None for one in (trace, function.traces[trace.closest]))
        if has == had:
            continue
        pair = function.graphs.compare(*((trace.closest, place) if has else (place, trace.closest)))
        if pair is None or pair.alike:
            return ""
        more = (pair.only_second - _ADD - _MULTIPLY - _BRING) | pair.only_first
        told = [f"`{name}`" for name in sorted(more)[:_MOST_TOLD]]
        if not told and pair.fractions is not None:
            told = [f"a constant: {pair.fractions[0]:g} → {pair.fractions[1]:g}"]
        if not told and _ADD & pair.only_second and _MULTIPLY & pair.only_second:
            told = [f"`{name}`" for name in sorted((_ADD | _MULTIPLY) & pair.only_second)[:_MOST_TOLD]]
        return ", ".join(told)
    return ""


def _number_of(signature: Signature, path: str) -> int | None:
    """Of a tensor among those that are passed, as TensorFlow flattens them; None if that is not known."""
    number = 0
    for name, node in signature.arguments:
        for at, leaf in _flat(name, node):
            if leaf.kind in _NOT_COUNTED:
                return None
            if at == path:
                return number if leaf.kind == "tensor" else None
            number += leaf.kind in ("tensor", "variable")
    return None


def _flat(path: str, node: Node) -> Iterator[tuple[str, Node]]:
    """Leaves; those of a dictionary in the order of its keys."""
    if node.kind in _NOT_COUNTED or not node.children:
        yield path, node
        return
    children = list(node.children)
    if node.kind == "dict":
        try:
            children.sort(key=lambda child: ast.literal_eval(child[0][1:-1]))
        except (ValueError, SyntaxError, TypeError):
            yield path, Node("unknown")
            return
    for key, child in children:
        yield from _flat(path + key, child)
