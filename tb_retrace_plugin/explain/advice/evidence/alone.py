"""Traces that differ in some arguments alone: what their graphs do not share is the doing of these."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from tb_retrace_plugin.explain.advice.evidence.built_by_keras import is_built_by_keras
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import descend
from tb_retrace_plugin.schema.signature import Node

#: Traces that are looked at: a long run has thousands, and its first ones tell as much as the others.
_MOST_TRACES = 300

_FIRST = frozenset({"first", "recreated"})

#: Place of a trace among the function's, and what it has at each path.
Member = tuple[int, tuple[Node, ...]]


def alike_but_for(
    function: FunctionFacts, paths: Sequence[str], masked: Callable[[Node], Hashable], *, first_ones: bool = False
) -> list[list[Member]]:
    """Traces with graphs, in groups of two at least that nothing tells apart but what `masked` leaves out of what they
    have at `paths`. `first_ones`: with those that may have created variables."""
    groups: dict[Hashable, list[Member]] = {}
    equal = function.graphs.known.setdefault("equal arguments", _Equal())
    for place, trace in with_graphs(function, first_ones=first_ones):
        key, found = _key(trace, paths, masked, equal)
        if len(found) == len(paths):
            groups.setdefault(key, []).append((place, found))
    return [group for group in groups.values() if len(group) > 1]


def alike_but_for_or_first(
    function: FunctionFacts, paths: Sequence[str], masked: Callable[[Node], Hashable]
) -> tuple[list[list[Member]], bool]:
    """The same; of a function of which too few other traces are alike with those that may have created variables, and
    whether it is so: of these graphs say whether they have."""
    groups = alike_but_for(function, paths, masked)
    return (groups, False) if groups else (alike_but_for(function, paths, masked, first_ones=True), True)


def with_graphs(function: FunctionFacts, *, first_ones: bool = False) -> Iterator[tuple[int, Traced]]:
    """Those whose graph is what calls run: the one in which variables were created is another, and so is one that
    may hold such a one of a function that it calls, or may have been traced as such a one for the other's sake; and the
    one that was made while Keras built a layer."""
    creating = {trace.lookup.object_number for trace in function.traces if trace.lookup.variables_created}
    nesting = {t.lookup.object_number for t in function.traces if t.nests and t.kind in _FIRST}
    for place, trace in enumerate(function.traces[:_MOST_TRACES]):
        number = trace.lookup.object_number
        is_first = trace.kind in _FIRST and (trace.nested or number in creating)
        is_second = trace.lookup.variables_created and number in nesting
        is_other = ((is_first or is_second) and not first_ones) or is_built_by_keras(trace)
        if trace.nodes and not trace.lookup.failed and not is_other:
            yield place, trace


def of_each_or_all(paths: Sequence[str], find: Callable[[Sequence[str]], str]) -> str:
    """What is found of the first path of which anything is, else of all of them together."""
    return next((found for path in paths if (found := find((path,)))), "") or (find(paths) if len(paths) > 1 else "")


def nodes_clause(values: str, before: int, now: int) -> str:
    return f"For {values} the graphs have {before:,} and {now:,} nodes"


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


def _key(
    trace: Traced, paths: Sequence[str], masked: Callable[[Node], Hashable], equal: _Equal
) -> tuple[Hashable, tuple[Node, ...]]:
    signature = trace.lookup.traced or trace.lookup.signature
    parts: list[Hashable] = [trace.lookup.object_number, tuple(sorted(signature.context.items()))]
    found: dict[str, Node] = {}
    for pair in (*signature.arguments, *signature.captures):
        name, node = pair
        within = {path: below for path in paths if path.startswith(name) and (below := descend(node, name, path))}
        if within:
            found |= within
            parts.append((name, _without(node, name, within, masked)))
        else:
            parts.append(equal.number(pair))
    return tuple(parts), tuple(found[path] for path in paths if path in found)


def _without(node: Node, at: str, within: dict[str, Node], masked: Callable[[Node], Hashable]) -> Hashable:
    if at in within:
        return masked(node)
    if not any(path.startswith(at) for path in within):
        return node
    head = node.kind, node.type_name, node.value, node.identity
    return head, tuple((key, _without(child, at + key, within, masked)) for key, child in node.children)
