"""Which value is neutral for a tensor, by what the graphs of the calls that pass it do with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import NeutralValue
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.differences.value_texts import is_number
from tb_retrace_plugin.schema.signature import Node, Signature

#: Of what is passed it takes none, or several.
_NOT_COUNTED = frozenset({"composite", "custom_nest", "custom", "unknown", "attrs"})

ZEROS, ONES, NONE = "zeros", "ones", "none"
#: What else there may be where ones are weights: it normalizes by them.
_NORMALIZES = frozenset({"Sum", "Mean", "Prod", "RealDiv", "DivNoNan", "Mul", "Size"})
#: Of what has the tensor, that are read: others may take it otherwise.
_MOST_TRACES = 3


def neutral_by_graph(function: FunctionFacts, path: str) -> NeutralValue | None:
    """Of what is at `path` in some calls, alike in the graphs of all that were read; None if that is not known."""
    found: NeutralValue | None = function.graphs.once(("neutral", path), lambda: _found(function, path))
    return found


def is_neutral(found: NeutralValue) -> bool:
    """Whether the graphs with that value are those that lack the tensor, as far as they are known."""
    more = found.differs or frozenset()
    return found.word != NONE and (not more or (found.word == ONES and more <= _NORMALIZES))


def taken_by_graph(function: FunctionFacts, place: int, path: str) -> frozenset[str]:
    """The operations that take the tensor at `path` in the graph of a trace, as far as that is known."""
    number = _number_of(function.traces[place].lookup.signature, path)
    return (function.graphs.taken_by(place, number) if number is not None else None) or frozenset()


def _found(function: FunctionFacts, path: str) -> NeutralValue | None:
    lacking = dict(_pairs(function, path))
    beside_numbers = dict(_pairs(function, path, beside_numbers=True))
    having = [
        place
        for place, trace in enumerate(function.traces)
        if not trace.lookup.failed and node_of(trace, path) is not None
    ]
    found: list[NeutralValue] = []
    for place in sorted(having, key=lambda place: place not in lacking)[:_MOST_TRACES]:
        number = _number_of(function.traces[place].lookup.signature, path)
        one = None
        if number is not None:
            one = function.graphs.neutral(place, number, lacking.get(place, beside_numbers.get(place)))
        if one is not None and one.differs and place not in lacking:
            one = replace(one, differs=frozenset(filter(_is_an_operation, one.differs)))
        if one is not None:
            found.append(one)
    if not found or NONE in (words := {one.word for one in found}):
        return next((one for one in found if one.word == NONE), None)
    if found[0].differs is None and len(words) > 1:
        return NeutralValue(NONE, frozenset().union(*(one.taken for one in found)))
    return next((one for one in found if not is_neutral(one)), found[0])


def _is_an_operation(what: str) -> bool:
    """Of what graphs differ in: else a constant, as a number that was passed may be."""
    return what.isidentifier()


def _pairs(function: FunctionFacts, path: str, *, beside_numbers: bool = False) -> Iterator[tuple[int, int]]:
    """Places of traces that have what is at `path`, with those that lack it alone; or also have other numbers."""
    for place, trace in enumerate(function.traces):
        others = [c for c in trace.changes if not (beside_numbers and c.cause == "python_value" and is_number(c.new))]
        if trace.closest is None or len(others) != 1 or trace.lookup.failed:
            continue
        has, had = (node_of(one, path) is not None for one in (trace, function.traces[trace.closest]))
        if has != had and not function.traces[trace.closest].lookup.failed:
            yield (place, trace.closest) if has else (trace.closest, place)


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
