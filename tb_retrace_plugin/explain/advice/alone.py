"""Traces that differ in one argument alone: what their graphs do not share is its doing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from tb_retrace_plugin.explain.advice.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.reading import descend
from tb_retrace_plugin.schema.signature import Node

#: Traces that are looked at: a long run has thousands, and its first ones tell as much as the others.
_MOST_TRACES = 300


def alike_but_for(
    function: FunctionFacts, path: str, masked: Callable[[Node], Hashable]
) -> list[list[tuple[int, Node]]]:
    """Places of traces with graphs, in groups that nothing but what `masked` leaves out of the one at `path` tells
    apart, with what they have there. A group has two traces at least."""
    groups: dict[Hashable, list[tuple[int, Node]]] = {}
    equal = function.graphs.known.setdefault("equal arguments", _Equal())
    for place, trace in with_graphs(function):
        key, found = _key(trace, path, masked, equal)
        if found is not None:
            groups.setdefault(key, []).append((place, found))
    return [group for group in groups.values() if len(group) > 1]


def with_graphs(function: FunctionFacts) -> Iterator[tuple[int, Traced]]:
    """Those whose graph is what calls run: the one in which variables were created is another."""
    creating = {trace.lookup.object_number for trace in function.traces if trace.lookup.variables_created}
    for place, trace in enumerate(function.traces[:_MOST_TRACES]):
        first = trace.kind in ("first", "recreated") and trace.lookup.object_number in creating
        if trace.nodes and not trace.lookup.failed and not first:
            yield place, trace


class _Equal:
    """Arguments by numbers, equal for equal ones: each is looked into once, and signatures share most of theirs."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, Node], int] = {}
        self._known: dict[int, tuple[tuple[str, Node], int]] = {}

    def number(self, pair: tuple[str, Node]) -> int:
        known = self._known.get(id(pair))
        if known is None:  # it is held: its id is not another one's
            known = self._known[id(pair)] = pair, self._numbers.setdefault(pair, len(self._numbers))
        return known[1]


def _key(trace: Traced, path: str, masked: Callable[[Node], Hashable], equal: _Equal) -> tuple[Hashable, Node | None]:
    signature = trace.lookup.traced or trace.lookup.signature
    parts: list[Hashable] = [trace.lookup.object_number, tuple(sorted(signature.context.items()))]
    found = None
    for pair in (*signature.arguments, *signature.captures):
        name, node = pair
        if path.startswith(name) and (below := descend(node, name, path)) is not None:
            found = below
            parts.append((name, _without(node, name, path, masked)))
        else:
            parts.append(equal.number(pair))
    return tuple(parts), found


def _without(node: Node, at: str, path: str, masked: Callable[[Node], Hashable]) -> Hashable:
    if at == path:
        return masked(node)
    head = node.kind, node.type_name, node.value, node.identity
    return head, tuple(
        (key, _without(child, at + key, path, masked) if path.startswith(at + key) else child)
        for key, child in node.children
    )
